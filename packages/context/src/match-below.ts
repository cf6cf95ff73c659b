import { StarPattern } from '@jinn/walk';
import type { ContextRule } from './context-rule.ts';

/**
 * Whether a rule could match something below a directory. With `onlyNamed`, whether it names a directory on the way
 * there: a pattern that matches at any depth, or has bare stars, does not.
 */
export function couldMatchBelow(rule: ContextRule, directory: string, { onlyNamed }: { onlyNamed: boolean }): boolean {
  if (!`${directory}/`.startsWith(rule.base)) return false;
  if (!rule.anchored) return !onlyNamed;
  const wanted = rule.pattern.split('/');
  let isNamed = false;
  for (const [i, name] of directory.slice(rule.base.length).split('/').entries()) {
    const segment = wanted[i];
    if (segment === undefined || i === wanted.length - 1) return false;
    if (segment === '**' || !StarPattern.canBe(segment)) return isNamed || !onlyNamed;
    if (!new StarPattern(segment).matches(name)) return false;
    isNamed ||= !/^\*+$/.test(segment);
  }
  return isNamed || !onlyNamed;
}
