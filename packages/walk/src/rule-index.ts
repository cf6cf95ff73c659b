import type { Rule } from './ignore-rules.ts';
import { namesThatMight } from './names-pattern.ts';
import { extensionOf, literalOf } from './plain-pattern.ts';
import { StarPattern } from './star-pattern.ts';
import { isForWildPattern } from './wild-pattern.ts';

/**
 * What can be known of a rule file's patterns without matching them one by one: those that are one name, one extension
 * or one path are looked up, and those of stars in one name are tried here. True in a map means directories only.
 */
export class RuleIndex {
  /** How many patterns cannot be looked up. */
  readonly others: number;
  readonly #names = new Map<string, boolean>();
  readonly #extensions = new Map<string, boolean>();
  readonly #paths = new Map<string, boolean>();
  readonly #rules: readonly Rule[];
  #inDoubt: ((names: string) => readonly string[]) | undefined;
  readonly #stars: { readonly stars: StarPattern; readonly directoriesOnly: boolean }[] = [];

  /** `prefix` is the path of the rule file's directory; '' or with a slash at its end. */
  constructor(rules: readonly Rule[], prefix: string) {
    this.#rules = rules;
    let others = 0;
    for (const { pattern, directoriesOnly, anchored } of rules) {
      if (isForWildPattern(pattern)) continue;
      const bytes = literalOf(pattern);
      const literal = bytes === undefined ? undefined : toText(bytes);
      const ending = anchored ? undefined : extensionOf(pattern);
      const extension = ending && toText(ending);
      if (literal !== undefined && anchored) widen(this.#paths, prefix + literal, directoriesOnly);
      else if (literal !== undefined) widen(this.#names, literal, directoriesOnly);
      else if (extension !== undefined) widen(this.#extensions, extension, directoriesOnly);
      else if (!anchored && StarPattern.canBe(pattern)) {
        this.#stars.push({ stars: new StarPattern(toText(pattern)), directoriesOnly });
      } else others++;
    }
    this.others = others;
  }

  /** Those of some files that might be ignored; the names stand between slashes, in ASCII. */
  filesInDoubt(names: string): readonly string[] {
    this.#inDoubt ??= namesThatMight(
      this.#rules.filter(({ negated, directoriesOnly }) => !negated && !directoriesOnly),
    );
    return this.#inDoubt(names);
  }

  /** Whether a pattern that can be looked up matches a name in a directory, whose path is '' or ends in a slash. */
  has(name: string, directory: string, isDirectory: boolean): boolean {
    if (applies(this.#names.get(name), isDirectory)) return true;
    if (this.#paths.size > 0 && applies(this.#paths.get(directory + name), isDirectory)) return true;
    const dot = this.#extensions.size === 0 ? -1 : name.lastIndexOf('.');
    if (dot >= 0 && applies(this.#extensions.get(name.slice(dot)), isDirectory)) return true;
    for (const { stars, directoriesOnly } of this.#stars) {
      if ((isDirectory || !directoriesOnly) && stars.matches(name)) return true;
    }
    return false;
  }
}

function widen(map: Map<string, boolean>, key: string, directoriesOnly: boolean): void {
  map.set(key, directoriesOnly && (map.get(key) ?? true));
}

function applies(directoriesOnly: boolean | undefined, isDirectory: boolean): boolean {
  return directoriesOnly === false || (directoriesOnly === true && isDirectory);
}

/** Rules are bytes; names that are no UTF-8 are never asked for. */
function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
