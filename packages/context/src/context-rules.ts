import { type FileNames, parseRules, type Rule, RuleSet } from '@jinn/walk';

/** The list that a rule belongs to. Later lists win over earlier ones; gitignore stands between the first two. */
export const LAYERS = { omissions: 0, builtIn: 0, contextFiles: 1, overrides: 2, flags: 3 } as const;

const LAYER = 2 ** 40;
const DEPTH = 2 ** 20;

/** A rule of a `.contextfiles`, of the built-in rules, of an overrides file or of a flag. All text is Unicode. */
export interface ContextRule extends Rule {
  /** The directory from which on the rule holds, below the workspace root; '' or with a slash at its end. */
  readonly base: string;
  readonly layer: number;
  /** The rule with the higher order wins over the other. */
  readonly order: number;
}

export interface RuleSource {
  /** How a warning names the source. */
  readonly file: string;
  readonly base: string;
  readonly layer: number;
}

export interface ParsedRules {
  readonly rules: readonly ContextRule[];
  /** A sentence for each line that is not a rule, and for each rule that can match nothing. */
  readonly warnings: readonly string[];
}

/** Parses rules, one a line. A line that is not a rule becomes a warning, and the others hold. */
export function parseContextRules(content: Uint8Array, { file, base, layer }: RuleSource): ParsedRules {
  const { rules, faults } = parseRules(content, file, 'excludes');
  const first = layer * LAYER + depthOf(base) * DEPTH;
  return {
    rules: rules.map((rule) => ({
      ...normalize({ ...rule, text: toText(rule.text), pattern: toText(rule.pattern) }),
      base,
      layer,
      order: first + Math.min(rule.line, DEPTH - 1),
    })),
    warnings: faults.map(({ line, reason }) =>
      layer === LAYERS.flags ? `${file} ${reason}` : `${file}: line ${line} ${reason}`,
    ),
  };
}

/** A rule also holds for everything below what it matches, so `name/**` says the same as `name/`. */
function normalize(rule: Rule): Rule {
  const { pattern } = rule;
  const meansBelow = !rule.directoriesOnly && pattern.length > 3 && pattern.endsWith('/**') && pattern.at(-4) !== '/';
  if (!meansBelow) return rule;
  const body = pattern.slice(0, -3);
  const isName = /^\*\*\/[^/]+$/.test(body);
  return {
    ...rule,
    pattern: isName ? body.slice(3) : body,
    directoriesOnly: true,
    anchored: rule.anchored && !isName,
  };
}

/** The rules of one list with the same base. */
export class RuleTable {
  readonly base: string;
  readonly rules: readonly ContextRule[];
  readonly #all: RuleSet<ContextRule>;
  /** All but the rules that take in everything. */
  readonly #naming: RuleSet<ContextRule>;

  constructor(rules: readonly ContextRule[], base: string) {
    this.base = base;
    this.rules = rules;
    this.#all = new RuleSet(rules);
    const naming = rules.filter((rule) => rule.excludes || !isCatchAll(rule));
    this.#naming = naming.length === rules.length ? this.#all : new RuleSet(naming);
  }

  /** Whether a rule such as `*` takes in everything. */
  get takesAllIn(): boolean {
    return this.#naming !== this.#all;
  }

  /** The last rule that matches an entry itself, by its path below the workspace root. */
  find(path: string, isDirectory: boolean): ContextRule | undefined {
    return path.startsWith(this.base) ? this.#all.find(path.slice(this.base.length), isDirectory) : undefined;
  }

  /** Does the same without the rules that take in everything. */
  findNaming(path: string, isDirectory: boolean): ContextRule | undefined {
    return path.startsWith(this.base) ? this.#naming.find(path.slice(this.base.length), isDirectory) : undefined;
  }

  /** The files of a directory that a rule might leave out. The directory is a path as `base` is. */
  filesInDoubt(files: FileNames, directory: string): readonly string[] {
    return directory.startsWith(this.base) ? this.#all.filesInDoubt(files, directory.slice(this.base.length)) : [];
  }
}

/** True for a pattern that names nothing, such as a star alone. */
export function isCatchAll({ pattern }: Pick<Rule, 'pattern'>): boolean {
  return /^[*?/]*$/.test(pattern);
}

/** The rule that wins over the other. */
export function latest(a: ContextRule | undefined, b: ContextRule | undefined): ContextRule | undefined {
  if (!a || !b) return a ?? b;
  return a.order > b.order ? a : b;
}

function depthOf(base: string): number {
  return base.split('/').length - 1;
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
