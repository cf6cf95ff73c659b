import { ToolError } from '@jinn/core/errors';
import type { Section } from '../document/formats.ts';
import { type FileOutlines, makeOutlines, readContent, replace, type ShortenContext } from '../outline/shorten.ts';
import { loadExactCounter } from '../tokens/tokens.ts';
import { BudgetPart, type FittedPart } from './budget-part.ts';
import { bytesOf, Costs } from './costs.ts';
import { explainFitted, explainWhole } from './explain-fitted.ts';
import { digestManifest } from './manifest-digest.ts';
import type { PlannedFile } from './planned-file.ts';
import { essentialFiles, findOtherForms, type RankSignals, rankFiles } from './rank/rank-files.ts';

/** The share of the bytes of an answer that is used, since files differ in their bytes for each token. */
const BYTES_SHARE = 0.97;
/** With fewer tokens, only the frame of a document would fit. */
const LEAST_TOKENS = 100;

export interface BudgetOptions extends ShortenContext {
  readonly maxTokens: number;
  /** The most bytes of the document. */
  readonly maxBytes?: number | undefined;
  /** Sections that come before the files. */
  readonly head: readonly Section[];
  /** Returns the signals for ranking; called only if not everything fits. */
  readonly signals: () => Promise<RankSignals>;
  /** Which part of the files to return, from 1. Each file comes in one part, unless it is cut. */
  readonly part?: number | undefined;
  /** Returns a sentence for the list of omissions that says how to get the next part. */
  readonly more?: ((nextPart: number) => string) | undefined;
  /** Hears a line for each file: its form in the document, and why. */
  readonly explain?: ((lines: readonly string[]) => void) | undefined;
}

/**
 * Fits files to a number of tokens, breadth first. READMEs and manifests get at most a tenth each. Then come outlines
 * of the files that say the most, and then whole files by rank, which replace their outlines. The rest of the room goes
 * to more outlines, and to the beginnings of files. A tree shows where all files are. A list, of at most 5 % of the
 * tokens, names what was left out. Files that do not fit into one part are fitted into the next. Throws ToolError
 * `invalid_args` for a part that does not exist.
 */
export async function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Promise<FittedPart> {
  const { part = 1, head } = options;
  const costs = new Costs(await loadExactCounter(), options);
  if (fitsWhole(files, costs, options)) {
    if (part > 1) throw noPart(part, 1);
    options.explain?.(explainWhole(files));
    return { files, head, rest: [] };
  }
  const maxTokens = tokensFor(files, costs, options);
  const ranking = rankFiles(files, await options.signals());
  const all = {
    ...options,
    maxTokens,
    costs,
    order: files,
    readmes: new Set(essentialFiles(files, 'readme').map(pathOf)),
    manifests: new Set(essentialFiles(files, 'manifest').map(pathOf)),
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

/**
 * A document whose estimate is within this share of the budget fits; one whose estimate exceeds the budget by as much
 * does not.
 */
const SURELY = 0.6;

function fitsWhole(files: readonly PlannedFile[], costs: Costs, { head, maxTokens, maxBytes }: BudgetOptions): boolean {
  if (maxBytes !== undefined && files.reduce((sum, file) => sum + bytesOf(file), 0) > maxBytes) return false;
  const sections = costs.frame + costs.sections(head);
  const about = files.reduce((sum, file) => sum + costs.about(file), sections);
  if (about <= maxTokens * SURELY || about * SURELY > maxTokens) return about <= maxTokens;
  return files.reduce((sum, file) => sum + costs.file(file), sections) <= maxTokens;
}

/** Returns a manifest without the parts that say little; undefined if it cannot be shortened. */
function digestOf(file: PlannedFile, options: ShortenContext): PlannedFile | undefined {
  const text = file.instead ? undefined : readContent(file, options, { isWhole: false })?.toString();
  const digest = text === undefined ? undefined : digestManifest(file.path, text);
  return digest === undefined ? undefined : replace(file, { kind: 'outline', bytes: Buffer.from(digest) }, options);
}

/** Returns the budget in tokens; fewer if these would have more bytes than an answer may have. */
function tokensFor(files: readonly PlannedFile[], costs: Costs, { maxTokens, maxBytes }: BudgetOptions): number {
  if (maxBytes === undefined) return maxTokens;
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0);
  const tokens = files.reduce((sum, file) => sum + costs.about(file), 0);
  const fitting = Math.floor((maxBytes * BYTES_SHARE * tokens) / Math.max(1, bytes));
  return Math.min(maxTokens, Math.max(LEAST_TOKENS, fitting));
}

/** Makes the outlines of each file once, although a file may be considered for several parts. */
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
    suggestion: 'begin again without part: the project may have changed',
  });
}

function pathOf({ path }: PlannedFile): string {
  return path;
}
