import { Wildmatch } from '@jinn/walk';
import type { ContextRule } from './context-rules.ts';

/**
 * Whether a rule could match something below a directory. The pattern must name each closed segment of the directory's
 * path (numbered from 0) itself, which a star alone and `**` do not.
 */
export function couldMatchBelow(rule: ContextRule, directory: string, closed: readonly number[]): boolean {
  if (!`${directory}/`.startsWith(rule.base)) return false;
  if (!rule.anchored) return closed.length === 0;
  const segments = rule.pattern.split('/');
  const skipped = rule.base.split('/').length - 1;
  let next = skipDoubleStars(segments, 0);
  for (const [i, name] of directory.slice(rule.base.length).split('/').entries()) {
    const mustName = closed.includes(skipped + i);
    next = new Set([...next].flatMap((at) => advance(segments, at, name, mustName)));
  }
  return next.size > 0;
}

/** The segments of the pattern that may come after the one at `at` has matched a name. The last is for what lies below. */
function advance(segments: readonly string[], at: number, name: string, mustName: boolean): number[] {
  const segment = segments[at] as string;
  if (segment === '**') return mustName ? [] : [...skipDoubleStars(segments, at)];
  if (at === segments.length - 1 || (mustName && /^\*+$/.test(segment))) return [];
  return new Wildmatch(segment).matches(name) ? [...skipDoubleStars(segments, at + 1)] : [];
}

/** The segments that may match next, from `at` on: `**` also matches no directory at all. */
function skipDoubleStars(segments: readonly string[], at: number): Set<number> {
  const found = new Set([at]);
  for (let next = at; segments[next] === '**' && next + 1 < segments.length; next++) found.add(next + 1);
  return found;
}
