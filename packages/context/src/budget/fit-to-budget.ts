import { ToolError } from '@jinn/errors';
import type { Section } from '../document/formats.ts';
import { makeOutline, type ShortenContext } from '../outline/shorten.ts';
import { BudgetPart, type FittedPart } from './budget-part.ts';
import { bytesOf, Costs } from './costs.ts';
import type { PlannedFile } from './planned-file.ts';
import { essentialFiles, findOtherForms, type RankSignals, rankFiles } from './rank-files.ts';

/** How much of the room is used that the bytes of an answer leave, since files differ in their bytes for each token. */
const BYTES_SHARE = 0.97;
/** With fewer tokens, only the frame of a document would fit. */
const LEAST_TOKENS = 100;

export interface BudgetOptions extends ShortenContext {
  readonly maxTokens: number;
  /** The most bytes of the document. */
  readonly maxBytes?: number | undefined;
  /** Sections that come before the files. */
  readonly head: readonly Section[];
  /** Asked for only if not everything fits. */
  readonly signals: () => Promise<RankSignals>;
  /** Which part of the files to give, from 1. Each file comes in one part, but for one that is cut. */
  readonly part?: number | undefined;
  /** Returns a sentence for the list of what was left out that says how to get the next part. */
  readonly more?: ((nextPart: number) => string) | undefined;
}

/**
 * Fits files to a number of tokens. The READMEs and manifests of the project come first, whole where they fit; then
 * whole files in the order of their rank, up to 75 % of what there is; then outlines of the next ones; then more whole
 * files, and the beginnings of some where nothing else fits. A list, of at most 5 % of the tokens, says what was left
 * out. What one part leaves out is fitted to the next. Throws ToolError `invalid_args` for a part that there is not.
 */
export async function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Promise<FittedPart> {
  const { part = 1, head } = options;
  const costs = new Costs(options.counter, options.style);
  if (fitsWhole(files, costs, options)) {
    if (part > 1) throw noPart(part, 1);
    return { files, head, rest: [] };
  }
  const maxTokens = tokensFor(files, costs, options);
  const all = {
    ...options,
    maxTokens,
    costs,
    order: files,
    essential: new Set(essentialFiles(files).map(pathOf)),
    otherForms: findOtherForms(files),
  };
  const outlines = rememberOutlines(options);
  let rest: readonly PlannedFile[] = rankFiles(files, await options.signals());
  for (let number = 1; ; number++) {
    const fitted = await new BudgetPart({ ...all, number, outlineOf: outlines }).fit(rest);
    if (number === part) return fitted;
    if (fitted.rest.length === 0) throw noPart(part, number);
    rest = fitted.rest;
  }
}

function fitsWhole(files: readonly PlannedFile[], costs: Costs, { head, maxTokens, maxBytes }: BudgetOptions): boolean {
  const tokens = files.reduce((sum, file) => sum + costs.file(file), costs.frame) + costs.sections(head);
  if (tokens > maxTokens) return false;
  return maxBytes === undefined || files.reduce((sum, file) => sum + bytesOf(file), 0) <= maxBytes;
}

/** Returns the budget in tokens; fewer where these would have more bytes than an answer may have. */
function tokensFor(files: readonly PlannedFile[], costs: Costs, { maxTokens, maxBytes }: BudgetOptions): number {
  if (maxBytes === undefined) return maxTokens;
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0);
  const tokens = files.reduce((sum, file) => sum + costs.file(file), 0);
  const fitting = Math.floor((maxBytes * BYTES_SHARE * tokens) / Math.max(1, bytes));
  return Math.min(maxTokens, Math.max(LEAST_TOKENS, fitting));
}

/** Makes each outline once, although a file may be considered for several parts. */
function rememberOutlines(options: ShortenContext): (file: PlannedFile) => Promise<PlannedFile | undefined> {
  const known = new Map<string, Promise<PlannedFile | undefined>>();
  return (file) => {
    const outline = known.get(file.path) ?? makeOutline(file, options);
    known.set(file.path, outline);
    return outline;
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
