import type { Rule } from './ignore-rules.ts';
import { literalOf } from './plain-pattern.ts';
import { StarPattern } from './star-pattern.ts';
import { WildPattern } from './wild-pattern.ts';

/** A rule that is matched here, and not by the library: as git does, in a time that no pattern makes long. */
export class PreparedRule {
  readonly rule: Rule;
  readonly #base: string;
  readonly #matches: (path: string) => boolean;

  /** Takes the path of the rule's directory, in bytes; '' or with a slash at its end. */
  constructor(rule: Rule, base: string) {
    this.rule = rule;
    this.#base = base;
    this.#matches = compile(rule.pattern);
  }

  /** Whether it matches this very thing, by its path from where the rules begin, in bytes. */
  matches(path: string, isDirectory: boolean): boolean {
    const { anchored, directoriesOnly } = this.rule;
    if ((directoriesOnly && !isDirectory) || !path.startsWith(this.#base)) return false;
    return this.#matches(anchored ? path.slice(this.#base.length) : path.slice(path.lastIndexOf('/') + 1));
  }
}

function compile(pattern: string): (path: string) => boolean {
  const literal = literalOf(pattern);
  if (literal !== undefined) return (path) => path === literal;
  if (!StarPattern.canBe(pattern)) {
    const wild = new WildPattern(pattern);
    return (path) => wild.matches(path);
  }
  const stars = new StarPattern(pattern);
  return (path) => !path.includes('/') && stars.matches(path);
}
