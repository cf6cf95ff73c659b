import { ToolError } from '@jinn/core/errors';
import { type FileOutlines, makeOutlines, readShownContent, replace, type ShortenContext } from '../outline/shorten.ts';
import { escapePath } from '../targets/escape-path.ts';
import { loadExactCounter } from '../tokens/tokens.ts';
import { type BudgetOptions, BudgetPart, type FittedPart } from './budget-part.ts';
import { Costs, documentBytesOf } from './costs.ts';
import { digestManifest } from './manifest-digest.ts';
import { isCut, type PlannedFile } from './planned-file.ts';
import { essentialFiles, findOtherForms, rankFiles } from './rank/rank-files.ts';

/** The share of the bytes of an answer that is used, since files differ in their bytes for each token. */
const BYTES_SHARE = 0.97;
/** With fewer tokens, only the frame of a document would fit. */
const LEAST_TOKENS = 100;

/**
 * Fits files to a number of tokens, breadth first. READMEs and manifests get at most a tenth each. Then come outlines
 * of the files that say the most, and then whole files by rank, which replace their outlines. The rest of the room goes
 * to more outlines, and to the beginnings of files. A tree shows where all files are. A list, of at most 5 % of the
 * tokens, names what was omitted. Files that do not fit into one part are fitted into the next. Throws ToolError
 * `invalid_args` for a part that does not exist.
 */
export async function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Promise<FittedPart> {
  const { part = 1, head } = options;
  const costs = new Costs(await loadExactCounter(), options);
  if (fitsWhole(files, costs, options)) {
    if (part > 1) throw noPart(part, 1);
    options.explain?.(files.map(({ path, tokens }) => `whole ${escapePath(path)}: ${tokens} tokens; everything fits`));
    return { files, head, rest: [] };
  }
  const maxTokens = tokensFor(files, costs, options);
  const ranking = rankFiles(files, await options.signals());
  const pathsOf = (role: 'readme' | 'manifest') => new Set(essentialFiles(files, role).map(({ path }) => path));
  const all = {
    ...options,
    maxTokens,
    costs,
    order: files,
    readmes: pathsOf('readme'),
    manifests: pathsOf('manifest'),
    otherForms: findOtherForms(files),
    roleOf: ranking.roleOf,
    asked: ranking.asked,
    entries: ranking.entries,
    outlinesOf: rememberOutlines(options),
    digestOf: (file: PlannedFile) => digestOf(file, options),
  };
  let rest: readonly PlannedFile[] = ranking.files;
  for (let number = 1; ; number++) {
    const fitted = await new BudgetPart({ ...all, number }).fit(rest);
    if (number === part) {
      options.explain?.(explainFitted(rest, fitted.files, ranking.reasonOf));
      return fitted;
    }
    if (fitted.rest.length === 0) throw noPart(part, number);
    rest = fitted.rest;
  }
}

/** An estimate up to this share of the budget fits. One that exceeds the budget by as much does not. */
const SURELY = 0.6;

function fitsWhole(files: readonly PlannedFile[], costs: Costs, { head, maxTokens, maxBytes }: BudgetOptions): boolean {
  if (maxBytes !== undefined && files.reduce((sum, file) => sum + documentBytesOf(file), 0) > maxBytes) return false;
  const sections = costs.frame + costs.sections(head);
  const about = files.reduce((sum, file) => sum + costs.about(file), sections);
  if (about <= maxTokens * SURELY || about * SURELY > maxTokens) return about <= maxTokens;
  return files.reduce((sum, file) => sum + costs.file(file), sections) <= maxTokens;
}

function digestOf(file: PlannedFile, options: ShortenContext): PlannedFile | undefined {
  const text = file.instead ? undefined : readShownContent(file, options, { isWhole: false })?.toString();
  const digest = text === undefined ? undefined : digestManifest(file.path, text);
  return digest === undefined ? undefined : replace(file, { kind: 'outline', bytes: Buffer.from(digest) }, options);
}

function tokensFor(files: readonly PlannedFile[], costs: Costs, { maxTokens, maxBytes }: BudgetOptions): number {
  if (maxBytes === undefined) return maxTokens;
  const bytes = files.reduce((sum, file) => sum + documentBytesOf(file), 0);
  const tokens = files.reduce((sum, file) => sum + costs.about(file), 0);
  const fitting = Math.floor((maxBytes * BYTES_SHARE * tokens) / Math.max(1, bytes));
  return Math.min(maxTokens, Math.max(LEAST_TOKENS, fitting));
}

function rememberOutlines(options: ShortenContext): (file: PlannedFile) => Promise<FileOutlines | undefined> {
  const known = new Map<string, Promise<FileOutlines | undefined>>();
  return (file) => {
    const outlines = known.get(file.path) ?? makeOutlines(file, options);
    known.set(file.path, outlines);
    return outlines;
  };
}

function noPart(asked: number, last: number): ToolError {
  const has = last === 1 ? 'the answer has only one part' : `the answer has only ${last} parts`;
  return new ToolError('invalid_args', `there is no part ${asked}: ${has}`, {
    suggestion: 'start again without part: the project may have changed',
  });
}

function explainFitted(
  ranked: readonly PlannedFile[],
  fitted: readonly PlannedFile[],
  reasonOf: (path: string) => string,
): string[] {
  const forms = new Map(fitted.map((file) => [file.path, formOf(file)]));
  return ranked.map(({ path, tokens }, i) => {
    const form = forms.get(path) ?? 'out';
    return `${form} ${escapePath(path)}: rank ${i + 1}, ${tokens} tokens, ${reasonOf(path)}`;
  });
}

function formOf({ instead }: PlannedFile): string {
  if (instead?.kind === 'piece') return isCut(instead) ? 'cut' : 'end';
  return instead?.kind === 'outline' ? 'outlined' : 'whole';
}
