import { ToolError } from '@jinn/core/errors';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const FORM = /^(?:\d{1,12}[smhdw])+$/;
const PART = /(\d+)([smhdw])/g;
const MAX_SECONDS = 36_500 * SECONDS.d;

/** Converts a number of seconds, or a text like "90", "30m" or "1d12h", to milliseconds. Throws `invalid_args`. */
export function parseDuration(given: string | number): number {
  const seconds = toSeconds(given);
  if (seconds === undefined) throw invalid(given, 'must be seconds, or numbers with s, m, h, d or w, like "1d12h"');
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw invalid(given, 'must be between a second and 100 years');
}

/** Parses a duration to seconds. Returns undefined if the text is not a duration. */
function toSeconds(given: string | number): number | undefined {
  if (typeof given === 'number' || /^\d{1,12}$/.test(given)) return Number(given);
  if (!FORM.test(given)) return undefined;
  const parts = given.matchAll(PART);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS], 0);
}

function invalid(given: string | number, rule: string): ToolError {
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : given;
  return new ToolError('invalid_args', `invalid expires_in: ${shown} — ${rule}`, {
    suggestion: 'give it like 90, "30m", "12h" or "7d", or leave it out to keep the text for ever',
  });
}
