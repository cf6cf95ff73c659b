import type { DocumentSection } from '../document/formats.ts';
import { escapePath } from '../targets/escape-path.ts';
import type { Costs } from './costs.ts';
import { isCut, type PlannedFile } from './planned-file.ts';

const TITLE = 'left-out';

interface Part {
  readonly maxTokens: number;
  readonly number: number;
  readonly costs: Costs;
  readonly more?: ((nextPart: number) => string) | undefined;
}

interface ListedFiles {
  readonly chosen: readonly PlannedFile[];
  readonly left: readonly PlannedFile[];
  readonly cuts: readonly string[];
  readonly most: number;
}

/** Makes the list of the files that are not whole, in at most `most` tokens. */
export function listLeftOut(part: Part, { chosen, left, cuts, most }: ListedFiles): DocumentSection {
  const { more, number, costs } = part;
  const counts = countOf(chosen, left.length);
  const first = summarize(part, counts);
  const last = more && counts.left + counts.cut > 0 ? [more(number + 1)] : [];
  const fits = (lines: readonly string[]) => costs.section(toSection(lines)) <= most;
  const before = fits([first, ...cuts, ...last]) ? [first, ...cuts] : [first];
  const lines = listByDirectory(left, (some) => fits([...before, 'Left out:', ...some, ...last]));
  return toSection([...before, ...(lines.length > 0 ? ['Left out:'] : []), ...lines, ...last]);
}

/** Makes the list of a part without the names of files, but with the largest numbers that it could have. */
export function shortestList(part: Part & { readonly order: readonly unknown[] }): DocumentSection {
  const { more, number, order } = part;
  const { length } = order;
  const first = summarize(part, { whole: length, outlines: length, cut: length, ended: length, left: length });
  return toSection(more ? [first, more(number + 1)] : []);
}

function toSection(lines: readonly string[]): DocumentSection {
  return { title: TITLE, text: lines.join('\n') };
}

function countOf(chosen: readonly PlannedFile[], left: number) {
  const counts = { whole: 0, outlines: 0, cut: 0, ended: 0, left };
  for (const { instead } of chosen) {
    if (instead?.kind === 'piece') counts[isCut(instead) ? 'cut' : 'ended']++;
    else counts[instead?.kind === 'outline' ? 'outlines' : 'whole']++;
  }
  return counts;
}

function summarize(
  { maxTokens, number }: Part,
  { whole, outlines, cut, ended, left }: ReturnType<typeof countOf>,
): string {
  const parts = [
    `${whole} ${whole === 1 ? 'file' : 'files'} whole`,
    outlines > 0 && `${outlines} as ${outlines === 1 ? 'an outline' : 'outlines'}`,
    cut > 0 && `${cut} cut`,
    ended > 0 && `the end of ${ended}`,
    `${left} left out`,
  ];
  const fitted = number === 1 ? 'Fitted' : `Part ${number}, fitted`;
  return `${fitted} to ${maxTokens} tokens: ${parts.filter(Boolean).join(', ')}.`;
}

interface Group {
  readonly path: string;
  readonly isFlat: boolean;
  readonly files: readonly PlannedFile[];
  readonly tokens: number;
}

function listByDirectory(files: readonly PlannedFile[], fits: (lines: readonly string[]) => boolean): string[] {
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

function groupOf(path: string, files: readonly PlannedFile[], isFlat = false): Group {
  return { path, files, isFlat, tokens: files.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function largestOf(groups: readonly Group[]): Group | undefined {
  return groups.reduce<Group | undefined>((a, b) => (a && a.tokens >= b.tokens ? a : b), undefined);
}

function splitGroup({ path, files, isFlat }: Group): Group[] {
  if (isFlat) return files.map((file) => groupOf(file.path, [file]));
  const flat: PlannedFile[] = [];
  const parts = new Map<string, PlannedFile[]>();
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
  if (files.length === 1 && only) return `  ${escapePath(only.path)}: ${tokens} tokens`;
  const shown = isFlat ? `${escapePath(path)}*` : path === '' ? 'all of them' : escapePath(path);
  return `  ${shown}: ${files.length} files, ${tokens} tokens`;
}
