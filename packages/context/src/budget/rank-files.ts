import type { Recency } from '@jinn/git/git-log';
import { type FileRole, isEntryPoint, roleOf } from './file-role.ts';

/** What is known of a file besides its path. */
export interface RankedFile {
  readonly path: string;
  readonly tokens: number;
}

export interface RankSignals {
  /** How many source files import each file. */
  readonly importers: ReadonlyMap<string, number>;
  /** What changed lately. */
  readonly recent: ReadonlyMap<string, Recency>;
}

const BASE: Readonly<Record<FileRole, number>> = {
  readme: 12,
  manifest: 12,
  source: 10,
  document: 7,
  data: 5,
  example: 3,
  test: 1,
  fixture: -6,
  bulk: -10,
};
const PER_DEPTH = 0.5;
const ENTRY = 4;
const RECENT = 4;
const MOST_FOR_IMPORTERS = 10;
/** Up to this size, a file does not rank lower because of it. */
const SMALL = 1_000;
/** Of a smaller file, the header says nearly as much as the content. */
const TINY = 120;
const FOR_TINY = 4;
/**
 * Forms of one module side by side, as in packages of npm: the first that is there tells the most, and the others say the
 * same again.
 */
const FORMS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.d.ts', '.cjs', '.d.mts', '.d.cts'];
const FORM = /(?:\.d)?\.[cm]?[jt]sx?$/;
const FOR_ANOTHER_FORM = 8;

/** Puts the files that tell the most of a project first. The same files are always put in the same order. */
export function rankFiles<T extends RankedFile>(files: readonly T[], signals: RankSignals): T[] {
  const others = findOtherForms(files);
  const penaltyOf = (file: T) => (others.has(file.path) ? FOR_ANOTHER_FORM : 0);
  const scores = new Map(files.map((file) => [file, scoreOf(file, signals) - penaltyOf(file)]));
  const score = (file: T) => scores.get(file) ?? 0;
  return files.toSorted((a, b) => score(b) - score(a) || (a.path < b.path ? -1 : 1));
}

/** Finds the paths of modules that are there in a form that tells more, such as `add.cjs` beside `add.js`. */
export function findOtherForms(files: readonly RankedFile[]): ReadonlySet<string> {
  const best = new Map<string, { path: string; form: number }>();
  const others = new Set<string>();
  for (const { path } of files) {
    const form = FORMS.indexOf(FORM.exec(path)?.[0] ?? '');
    if (form < 0) continue;
    const module = path.replace(FORM, '');
    const known = best.get(module);
    if (known === undefined || form < known.form) best.set(module, { path, form });
    if (known !== undefined) others.add(form < known.form ? known.path : path);
  }
  return others;
}

function scoreOf({ path, tokens }: RankedFile, { importers, recent }: RankSignals): number {
  const kind = roleOf(path);
  const depth = path.split('/').length - 1;
  const size = Math.log2(Math.max(1, tokens / SMALL)) + Math.max(0, 1 - tokens / TINY) * FOR_TINY;
  const score = BASE[kind] - depth * PER_DEPTH - size + (recent.get(path)?.share ?? 0) * RECENT;
  if (kind !== 'source') return score;
  const used = Math.min(MOST_FOR_IMPORTERS, 2 * Math.log2(1 + (importers.get(path) ?? 0)));
  return score + used + (isEntryPoint(path) ? ENTRY : 0);
}

/**
 * Returns the READMEs and manifests of the project itself, which a reader needs whole: those at the least depth where
 * there are any. Those of its parts are ranked as other files.
 */
export function essentialFiles<T extends RankedFile>(files: readonly T[]): T[] {
  const known = files.filter(({ path }) => ['readme', 'manifest'].includes(roleOf(path)));
  const depthOf = ({ path }: T) => path.split('/').length;
  const least = Math.min(...known.map(depthOf));
  return known.filter((file) => depthOf(file) === least).toSorted((a, b) => a.tokens - b.tokens);
}
