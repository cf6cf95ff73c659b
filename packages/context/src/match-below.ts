import { StarPattern } from '@jinn/walk';
import type { ContextRule } from './context-rule.ts';

/**
 * Whether a rule could match something below a directory. With `onlyNamed`, whether it says so by the names on the way:
 * a pattern that matches at any depth, or has a bare star for the directory, does not.
 */
export function couldMatchBelow(rule: ContextRule, directory: string, { onlyNamed }: { onlyNamed: boolean }): boolean {
  if (!`${directory}/`.startsWith(rule.base)) return false;
  if (!rule.anchored) return !onlyNamed;
  const wanted = rule.pattern.split('/');
  const names = directory.slice(rule.base.length).split('/');
  for (const [i, name] of names.entries()) {
    const segment = wanted[i];
    if (segment === undefined || i === wanted.length - 1) return false;
    if (segment === '**') return !onlyNamed;
    if (/[?[\\]/.test(segment)) return !onlyNamed;
    if (onlyNamed && /^\*+$/.test(segment)) return false;
    if (!new StarPattern(segment).matches(name)) return false;
  }
  return true;
}
