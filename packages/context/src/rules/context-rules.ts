import { type Cascade, type CompiledFile, CompiledFiles, parseRules, type Rule, RuleList } from '@jinn/workspace/walk';
import type { FlagPattern } from './exclusions.ts';

/** The list that a rule belongs to. Later lists win over earlier ones. Gitignore is between the first two. */
export const LAYERS = { builtIn: 0, contextFiles: 1, overrides: 2, flags: 3 } as const;

const LAYER = 2 ** 40;
const DEPTH = 2 ** 20;

/** A rule of a `.contextfiles`, of the built-in rules, of an overrides file or of a flag. All text is Unicode. */
export interface ContextRule extends Rule {
  readonly order: number;
  readonly layer: number;
  readonly use?: PatternUse | undefined;
}

/** Whether anything has matched a pattern. */
export interface PatternUse {
  isMatched: boolean;
}

export interface RuleSource {
  readonly file: string;
  readonly base: readonly string[];
  readonly layer: number;
}

export interface ContextList extends RuleSource {
  readonly list: RuleList<ContextRule>;
}

const compiled = new CompiledFiles<ContextRule>();

/** Parses rules, one per line. Warns of each line that is not a rule, and of each rule that can match nothing. */
export function parseContextRules(
  content: Uint8Array,
  source: RuleSource,
  warn: (sentence: string) => void = () => {},
): ContextList {
  const { file } = source;
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const key = JSON.stringify([source.layer, source.base.length, file]) + text;
  const { list, faults } = compiled.get(key, () => compile(content, source));
  for (const { line, reason } of faults) warn(`${file}: line ${line} ${reason}`);
  return { ...source, list };
}

function compile(content: Uint8Array, source: RuleSource): CompiledFile<ContextRule> {
  const { file, layer } = source;
  const { rules, faults } = parseRules(content, file, 'excludes');
  const ordered = rules.map((rule) => ({
    ...normalize({ ...rule, text: latin1ToText(rule.text), pattern: latin1ToText(rule.pattern) }),
    layer,
    order: orderOf(source, rule.line),
  }));
  return { list: new RuleList(ordered), faults };
}

/** Compiles patterns of flags for a directory. With `excludes`, they omit what they match. */
export function compilePatterns(
  patterns: readonly (Pick<FlagPattern, 'label' | 'rules'> & { readonly use: PatternUse })[],
  base: readonly string[],
  excludes: boolean,
): ContextList {
  const source = { file: 'flags', base, layer: LAYERS.flags };
  const rules = patterns.flatMap(({ label, rules, use }) =>
    rules.map(({ text, anchored, directoriesOnly }, i): ContextRule => {
      const shown = `${excludes ? '!' : ''}${anchored && !text.includes('/') ? '/' : ''}${text}${directoriesOnly ? '/' : ''}`;
      const rule = { text: shown, pattern: text || '*', anchored, directoriesOnly, excludes, file: label, line: i + 1 };
      return { ...normalize(rule), layer: source.layer, order: orderOf(source, i + 1), use };
    }),
  );
  return { ...source, list: new RuleList(rules) };
}

function orderOf({ layer, base }: RuleSource, line: number): number {
  return layer * LAYER + base.length * DEPTH + Math.min(line, DEPTH - 1);
}

/** Rewrites `name/**` as `name/`: a rule also applies to everything below a directory that it matches. */
function normalize(rule: Rule): Rule {
  const { pattern } = rule;
  const meansBelow = !rule.directoriesOnly && pattern.length > 3 && pattern.endsWith('/**') && pattern.at(-4) !== '/';
  if (!meansBelow) return rule;
  const body = pattern.slice(0, -3);
  const isName = /^\*\*\/[^/]+$/.test(body);
  return { ...rule, pattern: isName ? body.slice(3) : body, directoriesOnly: true, anchored: rule.anchored && !isName };
}

/** Adds lists of rules to those that hold in a directory. */
export function withLists(cascade: Cascade<ContextRule>, lists: readonly ContextList[]): Cascade<ContextRule> {
  return lists.reduce((sum, { list, base, layer }) => sum.with(list, { base, rank: layer }), cascade);
}

/** Reports whether a rule names something, unlike only a star, which takes in everything. */
export function isNaming(rule: ContextRule): boolean {
  return rule.excludes || !isCatchAll(rule);
}

/** Reports whether a pattern names nothing, such as only a star. */
export function isCatchAll({ pattern }: Pick<Rule, 'pattern'>): boolean {
  return /^[*?/]*$/.test(pattern);
}

/** Returns the rule that wins over the other. */
export function latest(a: ContextRule | undefined, b: ContextRule | undefined): ContextRule | undefined {
  if (!a || !b) return a ?? b;
  return a.order > b.order ? a : b;
}

/** Returns the names of a path below the workspace root, or none for '.' and ''. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** Returns the text of bytes that are one character each. */
export function latin1ToText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
