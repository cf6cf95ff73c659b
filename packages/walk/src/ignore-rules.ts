import { Glob } from './glob.ts';

const SPECIAL = /[*?[\\]/;
const LITERAL = /^(?:[^*?[\\]|\\.)*$/s;
/** A longer line is no rule: no path is as long, and reading a pattern may take the square of its length. */
const MAX_LINE = 4096;

/** One line of a `.gitignore`. All text here is bytes (latin1), as git compares it. */
interface Rule {
  /** Without its `!`, its first slash, and its last one. */
  readonly pattern: string;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched from the rule file's directory on, and not against the name alone. */
  readonly anchored: boolean;
}

/** Rules in a row of one sign. Among them order means nothing, so they may be looked up by kind. */
export interface RuleRun {
  readonly negated: boolean;
  readonly names: NameRules;
  /** Rules for what lies directly in one directory, by its path from the rule file, with a slash at its end. */
  readonly inDirectory: ReadonlyMap<string, NameRules>;
  /** The same, the directory being a pattern. */
  readonly inDirectories: readonly { readonly directory: Glob; readonly names: NameRules }[];
  /** Patterns that only the whole path decides. */
  readonly paths: readonly { readonly path: Glob; readonly directoriesOnly: boolean }[];
}

/**
 * Reads a rule file as git does: a BOM is dropped, a line ends in LF or CRLF, trailing blanks go unless escaped. Gives
 * its runs, last to first, since the last rule that matches wins.
 */
export function parseIgnoreRules(content: Uint8Array): RuleRun[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const lines = (text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text).split('\n');
  const runs: Run[] = [];
  for (const line of lines) {
    const rule = line.startsWith('#') || line.length > MAX_LINE ? undefined : parseLine(line);
    if (!rule) continue;
    const last = runs.at(-1);
    const run = last?.negated === rule.negated ? last : new Run(rule.negated);
    if (run !== last) runs.push(run);
    run.add(rule);
  }
  return runs.reverse();
}

function parseLine(line: string): Rule | undefined {
  const body = trimBlanks((line.endsWith('\r') ? line.slice(0, -1) : line).replace(/\0.*/s, ''));
  const negated = body.startsWith('!');
  const directoriesOnly = body.endsWith('/');
  let pattern = body.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  let anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (/^\*\*\/[^/]+$/.test(pattern)) {
    pattern = pattern.slice(3);
    anchored = false;
  }
  return pattern === '' ? undefined : { pattern, negated, directoriesOnly, anchored };
}

function trimBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 ? end + 1 : end);
}

class Run implements RuleRun {
  readonly negated: boolean;
  readonly names = new NameRules();
  readonly inDirectory = new Map<string, NameRules>();
  readonly inDirectories: { readonly directory: Glob; readonly names: NameRules }[] = [];
  readonly paths: { readonly path: Glob; readonly directoriesOnly: boolean }[] = [];
  readonly #byPattern = new Map<string, NameRules>();

  constructor(negated: boolean) {
    this.negated = negated;
  }

  add({ pattern, directoriesOnly, anchored }: Rule): void {
    const slash = pattern.lastIndexOf('/') + 1;
    const name = pattern.slice(slash);
    if (!anchored) {
      this.names.add(pattern, directoriesOnly);
    } else if (pattern.includes('[') || name.includes('**')) {
      // A bracket may hold the slash, and two stars may reach over it.
      const path = Glob.parse(pattern);
      if (path) this.paths.push({ path, directoriesOnly });
    } else {
      this.#namesIn(pattern.slice(0, slash)).add(name, directoriesOnly);
    }
  }

  #namesIn(directory: string): NameRules {
    const isPattern = SPECIAL.test(directory);
    const known = isPattern ? this.#byPattern : this.inDirectory;
    const names = known.get(directory) ?? new NameRules();
    if (known.has(directory)) return names;
    known.set(directory, names);
    const glob = isPattern && Glob.parse(directory);
    if (glob) this.inDirectories.push({ directory: glob, names });
    return names;
  }
}

/** Patterns for one name. Literal names and extensions are looked up; true in a map means directories only. */
export class NameRules {
  readonly #literals = new Map<string, boolean>();
  readonly #extensions = new Map<string, boolean>();
  readonly #tests: { readonly test: (name: string) => boolean; readonly directoriesOnly: boolean }[] = [];

  get isEmpty(): boolean {
    return this.#literals.size + this.#extensions.size + this.#tests.length === 0;
  }

  /** How many patterns each name is held against, one by one. */
  get cost(): number {
    return this.#tests.length;
  }

  add(pattern: string, directoriesOnly: boolean): void {
    const literal = toLiteral(pattern);
    const [, ending] = /^\*([^*?[\\]*)$/.exec(pattern) ?? [];
    if (literal !== undefined) {
      widen(this.#literals, literal, directoriesOnly);
    } else if (ending?.lastIndexOf('.') === 0) {
      widen(this.#extensions, ending, directoriesOnly);
    } else {
      const test = ending === undefined ? toTest(pattern) : (name: string) => name.endsWith(ending);
      if (test) this.#tests.push({ test, directoriesOnly });
    }
  }

  matches(name: string, isDirectory: boolean): boolean {
    if (applies(this.#literals.get(name), isDirectory)) return true;
    if (this.#extensions.size > 0) {
      const dot = name.lastIndexOf('.');
      if (dot >= 0 && applies(this.#extensions.get(name.slice(dot)), isDirectory)) return true;
    }
    for (const { test, directoriesOnly } of this.#tests) {
      if ((isDirectory || !directoriesOnly) && test(name)) return true;
    }
    return false;
  }
}

function widen(map: Map<string, boolean>, key: string, directoriesOnly: boolean): void {
  map.set(key, directoriesOnly && (map.get(key) ?? true));
}

function applies(directoriesOnly: boolean | undefined, isDirectory: boolean): boolean {
  return directoriesOnly === false || (directoriesOnly === true && isDirectory);
}

/** The one name that a pattern without wildcards means. */
function toLiteral(pattern: string): string | undefined {
  return LITERAL.test(pattern) ? pattern.replace(/\\(.)/gs, '$1') : undefined;
}

function toTest(pattern: string): ((name: string) => boolean) | undefined {
  const [, beginning] = /^([^*?[\\]+)\*$/.exec(pattern) ?? [];
  if (beginning !== undefined) return (name) => name.startsWith(beginning);
  const glob = Glob.parse(pattern);
  return glob && ((name) => glob.matches(name));
}
