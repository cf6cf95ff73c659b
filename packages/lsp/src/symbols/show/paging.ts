const EXPLORING = 50;
const PAGE = 50;
const MOST_FILES = 15;
const MOST_SHOWN = 500;

export interface PagingArgs {
  readonly detail_level?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly isFocused: boolean;
}

/** Exploring shows the first results up to a cap. `full` pages through all, with bodies. */
export function toPage({ detail_level, offset = 0, limit }: PagingArgs, cap = EXPLORING): Page {
  const isFocused = detail_level === 'full';
  const most = limit === undefined || limit <= 0 ? (isFocused ? PAGE : cap) : Math.min(limit, MOST_SHOWN);
  return { offset: Math.max(0, offset), limit: most, isFocused };
}

export interface Overflow {
  readonly shown: number;
  readonly total: number;
  readonly hint: string;
  readonly next_offset?: number;
  readonly by_file?: readonly { readonly file: string; readonly count: number }[];
  readonly by_file_overflow?: number;
}

/** Describes what a page omits. Undefined if nothing. */
export function overflowOf(
  { offset, limit }: Page,
  { total, hint, perFile = new Map() }: { total: number; hint: string; perFile?: ReadonlyMap<string, number> },
): Overflow | undefined {
  const shown = Math.max(0, Math.min(limit, total - offset));
  if (shown === total) return undefined;
  const next = offset + shown;
  const counts = [...perFile].map(([file, count]) => ({ file, count })).sort((a, b) => b.count - a.count);
  return {
    shown,
    total,
    hint,
    ...(next < total && { next_offset: next }),
    ...(counts.length > 0 && { by_file: counts.slice(0, MOST_FILES) }),
    ...(counts.length > MOST_FILES && { by_file_overflow: counts.length - MOST_FILES }),
  };
}

export function countFiles(files: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1);
  return counts;
}
