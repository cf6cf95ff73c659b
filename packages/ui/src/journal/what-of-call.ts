import { counted } from '@jinn/core/text/counted';

type Args = Readonly<Record<string, unknown>>;

const MAX_WHAT = 300;
const MAX_PATHS = 3;
/** The arguments that describe a call best, the best first. */
const MAIN = ['command', 'path', 'file_path', 'pattern', 'query', 'key', 'symbol', 'name_path', 'action', 'id'];
const PATCHED = /^(?:\+\+\+ b\/|\*\*\* (?:Update|Add|Delete) File: )(.+)$/gm;

/** Describes the tools whose main argument says too little. */
const WORDS: Readonly<Record<string, (args: Args) => string>> = {
  list_dir: ({ path = '.', depth }) => join(path, depth !== undefined && `, ${counted(Number(depth), 'level')}`),
  read_file: ({ path, start_line: from, end_line: to }) => join(path, from && `, from line ${from}`, to && ` to ${to}`),
  search_files: withPlace,
  find_files: withPlace,
  search_pattern: withPlace,
  search_replace: ({ pattern, replacement, files }) => join(pattern, ` → ${replacement}`, files && ` in ${files}`),
  multi_edit: ({ edits }) => listed('edit', pathsOf(edits)),
  multi_read: ({ files }) => listed('part', pathsOf(files)),
  apply_patch: ({ patch }) => nameFiles(Array.from(String(patch).matchAll(PATCHED), ([, path = '']) => path)),
  diff_files: ({ path_a, path_b }) => join(path_a, ` and ${path_b}`),
  rename_symbol: ({ name_path, new_name }) => join(name_path, ` to ${new_name}`),
  lsp_query: ({ action, symbol, path, line }) =>
    join(action, symbol && ` ${symbol}`, path && ` ${path}`, line && `:${line}`),
  memory: ({ action, key, query }) => join(action, (key ?? query) && ` ${key ?? query}`),
  undo: ({ action, id, last }) => join(action, id && ` ${id}`, last && ` of the last ${last}`),
  run_shell: ({ command, action = 'output', job, input }) =>
    command ? String(command) : input ? join(input, ` into ${job}`) : join(action, job && ` of ${job}`),
};

/** Says in a few words what a call is about. Its arguments may be anything. */
export function whatOf(tool: string, args: unknown): string {
  const given: Args = Object(args);
  const name = MAIN.find((each) => given[each] !== undefined) ?? Object.keys(given)[0];
  const words = Object.hasOwn(WORDS, tool) && Object.keys(given).length > 0 ? WORDS[tool]?.(given) : undefined;
  return (words ?? join(name && given[name])).slice(0, MAX_WHAT).toWellFormed();
}

function withPlace({ pattern, path }: Args): string {
  return join(pattern, path && ` in ${path}`);
}

function join(...parts: readonly unknown[]): string {
  const shown = parts.filter((part) => part !== undefined && part !== false && part !== '');
  return shown.map((part) => (typeof part === 'string' ? part : (JSON.stringify(part) ?? ''))).join('');
}

function listed(noun: string, paths: readonly string[]): string {
  return `${counted(paths.length, noun)} in ${nameFiles(paths)}`;
}

function nameFiles(paths: readonly string[]): string {
  const names = [...new Set(paths)];
  const more = names.length > MAX_PATHS ? ', …' : '';
  return names.length === 1
    ? `${names[0]}`
    : `${counted(names.length, 'file')} (${names.slice(0, MAX_PATHS).join(', ')}${more})`;
}

function pathsOf(parts: unknown): string[] {
  return Array.isArray(parts) ? parts.map((part) => String(Object(part).path ?? part)) : [];
}
