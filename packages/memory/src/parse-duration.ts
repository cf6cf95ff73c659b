import { ToolError } from '@jinn/core';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const FORM = /^(?:\d{1,12}[smhdw])+$/;
const PART = /(\d+)([smhdw])/g;
const MAX_SECONDS = 36_500 * SECONDS.d;

/** Milliseconds of a number of seconds, or of a text like "90", "30m" or "1d12h". Throws `invalid_args`. */
export function parseDuration(given: string | number): number {
  const seconds = toSeconds(given);
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : given;
  throw new ToolError('invalid_args', `invalid expires_in: ${shown} — must be between a second and 100 years`, {
    suggestion: 'give seconds, or a number with s, m, h, d or w, like "30m" or "7d"; leave it out to keep it for ever',
  });
}

/** NaN for what is none. */
function toSeconds(given: string | number): number {
  if (typeof given === 'number' || /^\d{1,12}$/.test(given)) return Number(given);
  if (!FORM.test(given)) return Number.NaN;
  const parts = given.matchAll(PART);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS], 0);
}
