import { showPath } from '../../targets/show-path.ts';

export interface LeftFile {
  readonly path: string;
  readonly tokens: number;
}

/** Files that share a line: those below a directory, those directly in it, or one file. */
interface Group {
  readonly path: string;
  /** True for the files directly in a directory. */
  readonly isFlat: boolean;
  readonly files: readonly LeftFile[];
  readonly tokens: number;
}

/**
 * Lists files that were left out by directory, one a line. Directories are split as long as the lines `fit`, those with
 * the most tokens first; then as many files as possible get their own line.
 */
export function listByDirectory(files: readonly LeftFile[], fits: (lines: readonly string[]) => boolean): string[] {
  let groups: Group[] = [groupOf('', files)];
  if (files.length === 0 || !fits(groups.map(lineOf))) return [];
  const whole = new Set<Group>();
  for (;;) {
    const parts = groups.filter((group) => group.files.length > 1 && !whole.has(group));
    const next = largestOf(parts.filter(({ isFlat }) => !isFlat)) ?? largestOf(parts);
    if (next === undefined) return groups.map(lineOf);
    const split = groups.flatMap((group) => (group === next ? splitGroup(group) : [group]));
    if (fits(split.map(lineOf))) groups = split;
    else whole.add(next);
  }
}

function groupOf(path: string, files: readonly LeftFile[], isFlat = false): Group {
  return { path, files, isFlat, tokens: files.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function largestOf(groups: readonly Group[]): Group | undefined {
  return groups.reduce<Group | undefined>((a, b) => (a && a.tokens >= b.tokens ? a : b), undefined);
}

/** Splits a directory into its directories and the files directly in it, and those files into single ones. */
function splitGroup({ path, files, isFlat }: Group): Group[] {
  if (isFlat) return files.map((file) => groupOf(file.path, [file]));
  const flat: LeftFile[] = [];
  const parts = new Map<string, LeftFile[]>();
  for (const file of files) {
    const slash = file.path.indexOf('/', path === '' ? 1 : path.length);
    const part = file.path.slice(0, slash + 1);
    const known = slash < 0 ? flat : parts.get(part);
    if (known) known.push(file);
    else parts.set(part, [file]);
  }
  const below = [...parts].map(([part, inside]) => groupOf(part, inside));
  return flat.length > 0 ? [groupOf(path, flat, true), ...below] : below;
}

function lineOf({ path, files, isFlat, tokens }: Group): string {
  const [only] = files;
  if (files.length === 1 && only) return `  ${showPath(only.path)}: ${tokens} tokens`;
  const shown = isFlat ? `${showPath(path)}*` : path === '' ? 'all of them' : showPath(path);
  return `  ${shown}: ${files.length} files, ${tokens} tokens`;
}
