import { redactSecrets } from '@jinn/workspace/secrets/content';
import { SECRET_NAME } from '@jinn/workspace/secrets/names';

const PATH_NAME = /^(?:(?:project_)?root|paths?|path_[ab]|file_path|files?|cwd|targets)$/;
const MAX_PATHS = 20;
const MAX_TEXT = 1_000;
const MAX_NAME = 100;
/** How much of a long text is searched for secrets. */
const MAX_SCANNED = 4 * MAX_TEXT;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;

/** Adds to known paths the values under the names that tools have for paths, in arguments or in the changes of a call. */
export function pathsIn(source: unknown, known: readonly string[] = []): string[] {
  const found = new Set(known);
  const collect = (value: unknown, isPath: boolean, depth: number): void => {
    if (found.size >= MAX_PATHS || depth > MAX_DEPTH) return;
    if (typeof value === 'string') {
      if (isPath) found.add(showText(value));
    } else if (Array.isArray(value)) for (const item of value.slice(0, MAX_ITEMS)) collect(item, isPath, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of membersOf(value)) collect(member, PATH_NAME.test(name), depth + 1);
    }
  };
  collect(source, false, 0);
  return [...found];
}

/** Makes a copy of arguments for the log: bounded, and without secrets. */
export function showArgs(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return showText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => showArgs(item, depth + 1));
  return Object.fromEntries(
    membersOf(value).map(([name, member]) => [
      showText(name),
      typeof member === 'string' && SECRET_NAME.test(name) ? '[a secret]' : showArgs(member, depth + 1),
    ]),
  );
}

/** Bounds a text and removes its secrets. A secret that the bound would cut is removed whole. */
export function showText(text: string): string {
  const isLong = text.length > MAX_SCANNED;
  const shown = redactSecrets(isLong ? text.slice(0, MAX_SCANNED).replace(/\S*$/, '') : text);
  return shown.length <= MAX_TEXT ? shown : `${shown.slice(0, MAX_TEXT).toWellFormed()}… (${text.length} characters)`;
}

/** Bounds a name that a client gave, and removes its secrets. A value that is not a text stays as it is. */
export function showName<T>(name: T): T | string {
  return typeof name === 'string' ? showText(name.slice(0, MAX_NAME)) : name;
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).slice(0, MAX_ITEMS);
}
