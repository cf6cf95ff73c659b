import { choose, FlagError } from '@jinn/core/command-line';

/** Throws FlagError for a list without a name. */
export function toNames(flag: string, list: string): string {
  if (/[^\s,]/.test(list)) return list;
  throw new FlagError(`${flag} takes names, such as src,docs`);
}

/** Throws FlagError for a text of blanks. */
export function toText(flag: string, value: string | undefined): string | undefined {
  if (value?.trim() === '') throw new FlagError(`${flag} takes words, a path or a name`);
  return value;
}

/** Converts a whole number such as 500 or 60k. */
export function toCount(flag: string, value: string | undefined, least = 1): number | undefined {
  if (value === undefined) return undefined;
  const digits = value.replace(/k$/i, '000');
  const count = Number(digits);
  if (/^\d+$/.test(digits) && count >= least && Number.isSafeInteger(count)) return count;
  throw new FlagError(`${flag} takes a whole number, ${least} or more, not ${JSON.stringify(value)}`);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2 };

/** Converts a size such as 500kb or 2mb to bytes. */
export function toBytes(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,9})\s?([kmb]{0,2})$/i.exec(value) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (bytes >= 1024) return bytes;
  throw new FlagError(`${flag} takes a size of 1kb or more, such as 500kb or 2mb, not ${JSON.stringify(value)}`);
}

export const LEVELS = ['whole', 'compress', 'outline'] as const;

/** How much of the files that match a glob is written. */
export interface GlobLevel {
  readonly glob: string;
  readonly level: (typeof LEVELS)[number];
}

/** Parses GLOB:LEVEL. */
export function toLevel(flag: string, value: string): GlobLevel {
  const colon = value.lastIndexOf(':');
  if (colon <= 0) throw new FlagError(`${flag} takes GLOB:${LEVELS.join('|')}, not ${JSON.stringify(value)}`);
  return { glob: value.slice(0, colon), level: choose(flag, LEVELS, value.slice(colon + 1)) };
}
