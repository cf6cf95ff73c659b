import { WildPattern } from '@jinn/walk';
import type { ContextRule } from './context-rule.ts';

/**
 * Whether a rule could match something below a directory. `closed` are the places in its path, from 0, of directories that
 * something else keeps closed: each of these the pattern must name itself, which a star alone and `**` do not.
 */
export function couldMatchBelow(rule: ContextRule, directory: string, closed: readonly number[]): boolean {
  if (!`${directory}/`.startsWith(rule.base)) return false;
  if (!rule.anchored) return closed.length === 0;
  const segments = rule.pattern.split('/');
  const skipped = rule.base.split('/').length - 1;
  let places = placesFrom(segments, 0);
  for (const [i, name] of directory.slice(rule.base.length).split('/').entries()) {
    const mustName = closed.includes(skipped + i);
    places = new Set([...places].flatMap((place) => placesAfter(segments, place, name, mustName)));
  }
  return places.size > 0;
}

/** The segments that may come next; the last one is for what lies below. */
function placesAfter(segments: readonly string[], place: number, name: string, mustName: boolean): number[] {
  const segment = segments[place] as string;
  if (segment === '**') return mustName ? [] : [...placesFrom(segments, place)];
  if (place === segments.length - 1 || (mustName && /^\*+$/.test(segment))) return [];
  return new WildPattern(segment).matches(name) ? [...placesFrom(segments, place + 1)] : [];
}

/** `**` also stands for no directory at all. */
function placesFrom(segments: readonly string[], place: number): Set<number> {
  const places = new Set([place]);
  for (let at = place; segments[at] === '**' && at + 1 < segments.length; at++) places.add(at + 1);
  return places;
}
