import type { Session } from '@jinn/core';
import {
  createOutlines,
  type FaultReport,
  isOutline,
  newFaults,
  type Outline,
  type Outlines,
  reportFaults,
  sourceLanguageOf,
} from '@jinn/syntax';
import type { ChangedFile } from '@jinn/workspace';

const MOST_FILES = 20;
const MOST_ERRORS = 10;
const LIMIT_MS = 1_000;
const NOTHING = { content: Buffer.alloc(0), outline: { faults: [] } };

interface SyntaxReport {
  readonly errors: readonly (FaultReport & { readonly file: string })[];
  readonly omitted?: number;
}

/** Returns the syntax errors that changes have made in files, such as `syntax`, or nothing if there are none. */
export async function reportSyntax(
  changes: readonly ChangedFile[],
  session: Session,
): Promise<{ syntax?: SyntaxReport }> {
  const sources = changes.filter(({ file, after }) => after && sourceLanguageOf(file.path, after) !== undefined);
  if (sources.length === 0) return {};
  const outlines = session.use(createOutlines);
  const end = process.uptime() * 1_000 + LIMIT_MS;
  const errors: (FaultReport & { file: string })[] = [];
  for (const change of sources.slice(0, MOST_FILES)) {
    const limitMs = end - process.uptime() * 1_000;
    if (limitMs <= 0) break;
    const file = change.file.path;
    errors.push(...(await errorsOf(outlines, change, limitMs)).map((error) => ({ file, ...error })));
  }
  if (errors.length === 0) return {};
  const omitted = errors.length - MOST_ERRORS;
  return { syntax: { errors: errors.slice(0, MOST_ERRORS), ...(omitted > 0 && { omitted }) } };
}

async function errorsOf(
  outlines: Outlines,
  { file, after, version }: ChangedFile,
  limitMs: number,
): Promise<FaultReport[]> {
  if (!after || version === undefined) return [];
  const { path, content } = file;
  const limits = { limitMs: limitMs / 2 };
  // The old version is read first, so that the new one is kept.
  const before = content && (await outlines.read({ path, content, version: file.version ?? '' }, limits));
  const now = await outlines.read({ path, content: after, version }, limits);
  if (!isOutline(now) || (before && !isOutline(before))) return [];
  const old = content && before ? { content, outline: before as Outline } : NOTHING;
  return reportFaults(after, newFaults(old, { content: after, outline: now }));
}
