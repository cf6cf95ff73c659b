import { parseIgnoreRules } from '@jinn/walk';

/** Which list a rule belongs to. Later lists win over earlier ones; gitignore stands between the first two. */
export const LAYERS = { builtIn: 0, contextFiles: 1, overrides: 2, flags: 3 } as const;

const LAYER = 2 ** 40;
const DEPTH = 2 ** 20;

/** One line of a `.contextfiles`, of the built-in rules, of an overrides file or of a flag (seeds/jinni-design, 3). */
export interface ContextRule {
  /** The line as it was written. */
  readonly text: string;
  /** Without `!`, and without the slashes at its ends. */
  readonly pattern: string;
  /** False for a line that begins with `!`. */
  readonly includes: boolean;
  readonly directoriesOnly: boolean;
  /** Matched against the path from `base` on, and not against the name alone. */
  readonly anchored: boolean;
  /** Where the line stands, for people. */
  readonly file: string;
  readonly line: number;
  /** The directory where the rule begins to hold, below the workspace root; '' or with a slash at its end. */
  readonly base: string;
  readonly layer: number;
  /** Of two rules that match, the one with the higher order wins. */
  readonly order: number;
}

export interface RuleSource {
  /** How a warning names it. */
  readonly file: string;
  readonly base: string;
  readonly layer: number;
}

export interface ParsedRules {
  readonly rules: readonly ContextRule[];
  /** A sentence on each line that is no rule, or can match nothing. */
  readonly warnings: readonly string[];
}

/** Reads rules, a line each; a line that is none is a warning, and the others hold. */
export function parseContextRules(content: Uint8Array, { file, base, layer }: RuleSource): ParsedRules {
  const { rules, faults } = parseIgnoreRules(content, file);
  const first = layer * LAYER + depthOf(base) * DEPTH;
  return {
    rules: rules.map(({ text, pattern, negated, directoriesOnly, anchored, line }) => ({
      ...normalize(toText(pattern), directoriesOnly, anchored),
      text: toText(text),
      includes: !negated,
      file,
      line,
      base,
      layer,
      order: first + Math.min(line, DEPTH - 1),
    })),
    warnings: faults.map(({ line, reason }) =>
      layer === LAYERS.flags ? `${file} ${reason}` : `${file}: line ${line} ${reason}`,
    ),
  };
}

/** A rule also holds for all that lies below what it matches, so `name/**` says the same as `name/`. */
function normalize(pattern: string, directoriesOnly: boolean, anchored: boolean) {
  const below = !directoriesOnly && pattern.length > 3 && pattern.endsWith('/**') && pattern.at(-4) !== '/';
  const body = below ? pattern.slice(0, -3) : pattern;
  const isName = below && /^\*\*\/[^/]+$/.test(body);
  return {
    pattern: isName ? body.slice(3) : body,
    directoriesOnly: directoriesOnly || below,
    anchored: anchored && !isName,
  };
}

/** True for a pattern that names nothing, such as a star alone. */
export function isCatchAll({ pattern }: ContextRule): boolean {
  return /^[*?/]*$/.test(pattern);
}

function depthOf(base: string): number {
  return base.split('/').length - 1;
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
