/** Something that a server needs and the sandbox hides, and what helps. */
export interface HiddenReason {
  readonly fact: string;
  readonly cure: string;
}

export interface HiddenSearch {
  /** Returns the place that hides a path from servers, and the setting that shows it. */
  find(path: string): { readonly place: string; readonly cure: string | undefined } | undefined;
  /** Returns the files of this name on the PATH of servers. */
  programs(name: string): readonly string[];
}

const MAX_LINES = 200;
/** The most paths and programs that are looked at. */
const MAX_TRIED = 50;
const MISSES =
  /not found|no such file|cannot find|can't (?:find|open)|cannot open|ENOENT|MODULE_NOT_FOUND|does not exist/i;
const PATH = /\/[^\s'"‘’`,;()<>]+?(?=[:.]?(?:[\s'"‘’`,;()<>]|$))/g;
/** A program that was not found on PATH, in messages of shells, env and Go. */
const PROGRAM = /["'‘`]?([\w.+-]{1,100})["'’`]?: (?:executable file |command )?(?:not found|no such file)/gi;

/**
 * Finds, among the files that a server reports as missing and its own ones, a file that the sandbox hides from it.
 * Returns undefined if there is none.
 */
export function explainHidden(
  said: string,
  ownFiles: readonly string[],
  { find, programs }: HiddenSearch,
): HiddenReason | undefined {
  const lines = said.split('\n').slice(-MAX_LINES);
  const missed = lines.filter((line) => line.length < 2_000 && MISSES.test(line)).join('\n');
  const names = [...missed.matchAll(PROGRAM)].map(([, name = '']) => name);
  const paths = [...missed.matchAll(PATH)].map(([path]) => path);
  const tried = [...ownFiles, ...names.flatMap(programs), ...paths].slice(0, MAX_TRIED);
  for (const path of tried) {
    const hidden = find(path);
    if (!hidden) continue;
    const { place, cure } = hidden;
    const fact = `the sandbox hides ${place}, where ${path.split('/').at(-1)} lies`;
    return { fact, cure: cure ?? `install it elsewhere: no setting shows ${place} in the sandbox` };
  }
  return undefined;
}
