import OTHER_NAMES from './other-names.json' with { type: 'json' };
import { parseText, toNumber } from './repair-values.ts';

/** The data about the tools of Claude Code, Codex, Gemini CLI, Cursor, Cline and OpenHands, whose calls models send here. */

export type Members = Readonly<Record<string, unknown>>;
export type Names = Readonly<Record<string, string>>;

/** The names of other tools, by the name with the same meaning here. A tool takes the first that it has on the left. */
export const ALIASES: Names = OTHER_NAMES;

/** Names that mean almost the same: an error names the argument, since the value would have to be another one. */
export const RELATED: Names = { pattern: 'name', depth: 'recursive', expires_in: 'ttl expires expiry' };

/** Notes for a reader that hosts and models add to a call. A tool without an argument of the name ignores them. */
export const NOTES: readonly string[] =
  'description explanation instruction instructions justification thought -n should_read_entire_file requires_approval require_user_approval yield_time_ms max_output_tokens security_risk'.split(
    ' ',
  );

/** The largest of several values counts: ours is one argument for both sides. */
export const LARGEST = ['context_lines'];

export const VALUES: Readonly<Record<string, Names>> = {
  format: { files_with_matches: 'filenames', count: 'filenames', content: 'grouped' },
};

export interface Conversion {
  readonly names: string;
  readonly needs: string;
  /** Returns arguments of ours, even those that a tool does not have, or undefined for another value. */
  to(value: unknown, given: Members): Members | undefined;
}

export const CONVERSIONS: readonly Conversion[] = [
  { names: 'offset', needs: 'start_line', to: (line) => ({ start_line: integerOf(line) === 0 ? 1 : line }) },
  { names: 'limit lines count head', needs: 'end_line', to: toLastLine },
  { names: 'view_range', needs: 'start_line', to: toLines },
  { names: 'case_sensitive', needs: 'case_insensitive', to: (is) => negated('case_insensitive', is) },
  { names: 'case_sensitive', needs: 'pattern', to: (is) => (String(is) === 'true' ? {} : undefined) },
  { names: 'respect_git_ignore', needs: 'no_ignore', to: (is) => negated('no_ignore', is) },
  { names: 'exclude_pattern', needs: 'include', to: toExclusion },
  { names: 'timeout_ms', needs: 'timeout', to: (ms) => toSeconds('timeout', ms) },
  { names: 'timeout_ms', needs: 'timeout_secs', to: (ms) => toSeconds('timeout_secs', ms) },
  { names: 'expected_replacements', needs: 'replace_all', to: toCount },
  { names: 'command cmd', needs: 'command', to: (words) => (Array.isArray(words) ? toCommand(words) : undefined) },
];

function toLastLine(value: unknown, given: Members): Members | undefined {
  if ((given['end_line'] ?? null) !== null) return undefined;
  const start = integerOf(given['start_line'] ?? given['offset'] ?? given['line_start'] ?? given['from'] ?? 1);
  const count = integerOf(value);
  return start === undefined || count === undefined || count < 1
    ? undefined
    : { end_line: Math.max(1, start) + count - 1 };
}

function toLines(sent: unknown): Members | undefined {
  const range = typeof sent === 'string' ? parseText('array', sent) : sent;
  const [first, last, ...more] = (Array.isArray(range) ? range : []).map(integerOf);
  if (first === undefined || last === undefined || more.length > 0) return undefined;
  return { start_line: first, ...(last > 0 && { end_line: last }) };
}

function negated(name: string, value: unknown): Members | undefined {
  return /^(true|false)$/.test(String(value)) ? { [name]: String(value) === 'false' } : undefined;
}

function toExclusion(glob: unknown, { include, glob: other }: Members): Members | undefined {
  return typeof glob === 'string' && (include ?? other ?? '') === '' ? { include: `!${glob}` } : undefined;
}

function toSeconds(name: string, value: unknown): Members | undefined {
  const ms = integerOf(value);
  return ms === undefined ? undefined : { [name]: Math.ceil(ms / 1_000) };
}

function toCount(value: unknown): Members | undefined {
  const count = integerOf(value);
  if (count === undefined || count < 1) return undefined;
  return count === 1 ? {} : { replace_all: true, expected_count: count };
}

function toCommand(words: readonly unknown[]): Members {
  const [shell, flag, script] = words.map(String);
  if (words.length === 3 && /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(flag ?? ''))
    return { command: script };
  return { command: words.map((word) => quoted(String(word))).join(' ') };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function integerOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? toNumber(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

export interface SameTools {
  readonly own: string;
  readonly names: string;
  to?(args: Members, own: string): Members;
}

export const TOOLS: readonly SameTools[] = [
  { own: 'read_file', names: 'read view view_file open_file cat' },
  { own: 'multi_read read_file', names: 'read_many_files' },
  { own: 'edit_file', names: 'edit replace str_replace replace_in_file search_replace notebook_edit edit_notebook' },
  { own: 'multi_edit edit_file', names: 'multi_replace' },
  { own: 'write_file create_file apply_patch', names: 'write write_to_file new_file', to: toNewFile },
  {
    own: 'search_files search_pattern',
    names: 'grep grep_search grep_files search_file_content codebase_search search rg ripgrep',
  },
  { own: 'find_files find_file', names: 'glob file_search find' },
  { own: 'list_dir find_files', names: 'ls list_directory list_files' },
  {
    own: 'run_shell run_command',
    names:
      'bash shell local_shell exec_command execute_command execute_bash run_shell_command run_terminal_cmd terminal',
  },
  { own: 'run_shell', names: 'bash_output task_output', to: (args) => ({ ...args, action: 'output' }) },
  { own: 'run_shell', names: 'kill_shell kill_bash task_stop', to: (args) => ({ ...args, action: 'kill' }) },
  { own: 'read_file', names: 'list_code_definition_names', to: (args) => ({ ...args, outline: true }) },
  {
    own: 'apply_patch',
    names: 'delete_file remove_file',
    to: (args) => ({ patch: patchOf(`*** Delete File: ${pathIn(args)}`) }),
  },
  { own: 'undo', names: 'undo_edit', to: () => ({ action: 'restore', last: 1 }) },
];

/** The tool of Anthropic and OpenHands that does several things, by its argument `command`. */
export const EDITOR = {
  names: 'str_replace_editor str_replace_based_edit_tool',
  commands: { view: 'read', create: 'write', str_replace: 'edit', insert: 'edit', undo_edit: 'undo_edit' } as Names,
};

function toNewFile(args: Members, own: string): Members {
  if (own !== 'apply_patch') return args;
  const content = String(args['content'] ?? args['file_text'] ?? args['contents'] ?? '…').replace(/\n$/, '');
  return { patch: patchOf(`*** Add File: ${pathIn(args)}`, ...content.split('\n').map((line) => `+${line}`)) };
}

function patchOf(...lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
}

function pathIn({ path, file_path, target_file }: Members): string {
  return String(path ?? file_path ?? target_file ?? '…');
}
