import { nearestName } from '@jinn/errors';

type Names = Readonly<Record<string, string>>;

/**
 * The names that models know from other tools, by the name with the same meaning here. If a tool has several of the
 * names on the left, the first of them is meant.
 */
const ALIASES: Names = {
  path: 'file_path filepath filename file absolute_path relative_path target_file directory dir folder target_directory',
  files: 'paths path file file_path',
  start_line: 'offset line_start from',
  end_line: 'line_end to',
  include: 'glob file_pattern include_pattern',
  pattern: 'query regex search find glob file_pattern',
  query: 'q search prompt',
  replacement: 'replace replace_with new_text new_string',
  old_text: 'old_string old_str search find',
  new_text: 'new_string new_str replace replacement',
  old_string: 'old_text old_str search find',
  new_string: 'new_text new_str replace replacement',
  content: 'contents text file_text',
  value: 'content contents text data',
  key: 'name id',
  id: 'operation_id snapshot_id',
  command: 'cmd script',
  cwd: 'workdir working_dir working_directory directory dir',
  timeout_secs: 'timeout',
  background: 'run_in_background is_background',
  run_in_background: 'background is_background',
  stdin: 'input',
  patch: 'input diff patch_text',
  context_lines: 'context -C',
  show_context: 'context context_lines',
  case_insensitive: 'ignore_case -i',
  format: 'output_mode',
  max_matches: 'limit max_results max_count head_limit',
  max_entries: 'limit max_results',
  max_results: 'limit max_matches max_count head_limit',
  limit: 'max_results max_entries count top_k head_limit',
  depth: 'max_depth',
  character: 'column col',
};

/** Names that mean almost the same: an error names the argument, since the value would have to be another one. */
const RELATED: Names = {
  pattern: 'name',
  start_line: 'view_range',
  end_line: 'limit lines count head',
  timeout: 'timeout_ms',
  timeout_secs: 'timeout_ms',
  context_lines: '-A -B before_context after_context',
  case_insensitive: 'case_sensitive',
  depth: 'recursive',
  expires_in: 'ttl expires expiry',
};

/**
 * Arguments that hosts and models add to a call as a note for a reader. They mean nothing to a tool without an argument
 * of the name.
 */
export const NOTES: readonly string[] = ['description', 'explanation', '-n'];

/**
 * Returns the argument that another name stands for, or another spelling such as `filePath`; undefined if there is
 * none.
 */
export function ownName(name: string, names: readonly string[]): string | undefined {
  const plain = toPlain(name);
  return names.find((own) => own === plain) ?? lookUp(ALIASES, plain, names);
}

/**
 * Returns the argument that an unknown one most likely stands for, by another name for it or by spelling; undefined if
 * there is none.
 */
export function nearestArgument(unknown: string, names: readonly string[]): string | undefined {
  return ownName(unknown, names) ?? lookUp(RELATED, toPlain(unknown), names) ?? nearestName(unknown, names);
}

/** Returns `filePath` as `file_path`; a letter behind a dash is a flag and stays. */
function toPlain(name: string): string {
  return name.length > 2 ? name.replace(/[a-z](?=[A-Z])/g, '$&_').toLowerCase() : name;
}

function lookUp(table: Names, name: string, names: readonly string[]): string | undefined {
  return Object.keys(table).find((own) => names.includes(own) && table[own]?.split(' ').includes(name));
}
