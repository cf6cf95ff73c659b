import { GlobPattern, type RuleContext } from './pattern.ts';
import type { Rule } from './rule-file.ts';

const WILDCARD = /[*?[\\]/;
const EXTENSION = /^\*(\.[^.*?[\\/]+)$/;
/** Two stars right after the literal start of a pattern, and the rest after them. */
const EARLY_STARS = /^(?<beginning>[^*?[\\]*[^*?[\\/])\*{2,}(?:(?<slash>\\?\/)(?<rest>.*))?$/s;

export type ListedRule = Pick<Rule, 'pattern' | 'excludes' | 'directoriesOnly' | 'anchored'>;

interface Candidate extends Pick<Rule, 'anchored' | 'directoriesOnly'> {
  readonly at: number;
  /** Undefined if the name or extension decides. */
  readonly pattern: GlobPattern | undefined;
}

/**
 * The rules of one list, compiled. It finds the last rule that matches an entry itself. The caller asks about an
 * entry's directories, from the top down. Rules are looked up by the name or the extension at their end, or the
 * character at their start, since few of a long list fit an entry in these.
 */
export class RuleList<R extends ListedRule> {
  readonly rules: readonly R[];
  readonly #byName = new Map<string, Candidate[]>();
  readonly #byExtension = new Map<string, Candidate[]>();
  readonly #byBeginning = new Map<string, Candidate[]>();
  readonly #others: Candidate[] = [];
  #longest = 0;
  readonly #excludesFiles: boolean;

  constructor(rules: readonly R[]) {
    this.rules = rules;
    this.#excludesFiles = rules.some(({ excludes, directoriesOnly }) => excludes && !directoriesOnly);
    for (const [at, { pattern, anchored, directoriesOnly }] of rules.entries()) {
      const candidate = { at, anchored, directoriesOnly, pattern: undefined };
      if (anchored) for (const reading of readingsOf(pattern)) this.#addPattern(candidate, reading);
      else this.#addName(candidate, pattern);
    }
  }

  get cost(): number {
    return this.#others.length + this.#longest;
  }

  /**
   * Returns the files of a directory that a rule of the list may exclude. It is one plain loop, since code that runs
   * for each name is compiled late in a process that has just started.
   */
  filesInDoubt(place: RuleContext, files: readonly string[]): string[] {
    if (!this.#excludesFiles) return [];
    const named: string[] = [];
    for (const name of files) {
      if (
        matchesOne(this.#others, place, name) ||
        matchesOne(this.#byName.get(name), place, name) ||
        matchesOne(this.#byExtension.get(extensionOf(name)), place, name) ||
        matchesOne(this.#byBeginning.get(name.charAt(0)), place, name)
      )
        named.push(name);
    }
    return named;
  }

  /** Returns the rule that decides on an entry of a directory, among those for which `isMeant` is true. */
  find(place: RuleContext, name: string, isDirectory: boolean, isMeant?: (rule: R) => boolean): R | undefined {
    const decides = (candidate: Candidate) => {
      if (candidate.directoriesOnly && !isDirectory) return false;
      return isMatch(candidate, place, name) && isMeant?.(this.rules[candidate.at] as R) !== false;
    };
    let found = lastMatch(this.#byName.get(name), -1, decides);
    found = lastMatch(this.#byExtension.get(extensionOf(name)), found, decides);
    found = lastMatch(this.#byBeginning.get(name.charAt(0)), found, decides);
    found = lastMatch(this.#others, found, decides);
    return this.rules[found];
  }

  /** Reports whether one of the rules for which `isMeant` is true could match something below a directory. */
  couldMatchBelow(place: RuleContext, named: readonly number[], isMeant: (rule: R) => boolean): boolean {
    const indexed = [this.#byName, this.#byExtension, this.#byBeginning].flatMap((index) => [...index.values()]);
    return [...indexed, this.#others].flat().some(({ at, anchored, pattern }) => {
      const rule = this.rules[at] as R;
      if (!isMeant(rule)) return false;
      return anchored ? pattern?.couldMatchBelow(place, named) === true : named.length === 0;
    });
  }

  #addName(candidate: Candidate, pattern: string): void {
    const extension = EXTENSION.exec(pattern)?.[1];
    if (!WILDCARD.test(pattern)) this.#add(this.#byName, pattern, candidate);
    else if (extension !== undefined) this.#add(this.#byExtension, extension, candidate);
    else this.#addPattern(candidate, pattern);
  }

  #addPattern(candidate: Candidate, text: string): void {
    const pattern = GlobPattern.parse(text);
    if (!pattern) return;
    const { isLiteral, first, last } = pattern.name;
    const compiled = { ...candidate, pattern };
    if (isLiteral) this.#add(this.#byName, first, compiled);
    else if (last.includes('.')) this.#add(this.#byExtension, extensionOf(last), compiled);
    else if (first !== '') this.#add(this.#byBeginning, first.charAt(0), compiled);
    else this.#others.push(compiled);
  }

  #add(index: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
    const known = index.get(key) ?? [];
    known.push(candidate);
    index.set(key, known);
    this.#longest = Math.max(this.#longest, known.length);
  }
}

const TOP: RuleContext = { directory: [], depth: 0 };

function matchesOne(candidates: readonly Candidate[] | undefined, place: RuleContext, name: string): boolean {
  if (candidates === undefined) return false;
  for (const candidate of candidates) if (isMatch(candidate, place, name)) return true;
  return false;
}

function isMatch({ pattern, anchored }: Candidate, place: RuleContext, name: string): boolean {
  return pattern === undefined || pattern.matches(anchored ? place : TOP, name);
}

/** Returns the number of the last rule that matches, if it comes after the given one, which is otherwise returned. */
function lastMatch(
  candidates: readonly Candidate[] | undefined,
  after: number,
  decides: (candidate: Candidate) => boolean,
): number {
  if (candidates === undefined) return after;
  for (let i = candidates.length - 1; i >= 0; i--) {
    const candidate = candidates[i] as Candidate;
    if (candidate.at <= after) break;
    if (decides(candidate)) return candidate.at;
  }
  return after;
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.'));
}

/**
 * Git compares the text before the first wildcard separately, so two stars right after it are at a start: `a**`
 * matches all paths that start with an a, at any depth. The patterns together match what git matches.
 */
function readingsOf(pattern: string): string[] {
  const { beginning, slash, rest = '' } = EARLY_STARS.exec(pattern)?.groups ?? {};
  if (beginning === undefined) return [pattern];
  if (slash === undefined) return [`${beginning}*`, `${beginning}*/**`];
  const deep = `${beginning}*/**/${rest}`;
  if (slash === '\\/') return [deep];
  return [deep, ...(rest.startsWith('**') ? readingsOf(beginning + rest) : [beginning + rest])];
}
