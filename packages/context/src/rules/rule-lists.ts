import { posix } from 'node:path';
import type { OpenDirectory } from '@jinn/workspace';
import { globRoot, RuleList } from '@jinn/workspace/walk';
import { escapePath } from '../targets/escape-path.ts';
import type { DumpTarget } from '../targets/targets.ts';
import { attributeRules, defaultRules, omissionRules } from './built-in-rules.ts';
import { openRules, type PlacedRules, type RuleLists, rulesAtTop } from './classify-entry.ts';
import {
  type ContextList,
  compilePatterns,
  LAYERS,
  type PatternUse,
  parseContextRules,
  segmentsOf,
  withLists,
} from './context-rules.ts';
import { type Exclusions, type FlagPattern, patternsOf } from './exclusions.ts';

const MAX_RULE_FILE = 1024 * 1024;
const NOTHING = new Uint8Array();

export interface Overrides {
  readonly file: string;
  readonly content: Uint8Array;
}

/** The rules that a user or an agent adds to those in the tree. */
export interface RuleOptions extends Exclusions {
  readonly overrides?: Overrides | undefined;
  /** True to drop the built-in rules, and to take in lock files, generated files and the like. Secrets stay out. */
  readonly noDefaults?: boolean | undefined;
  readonly warn: (sentence: string) => void;
}

export type PatternUses = Map<string, PatternUse>;

/** Compiles the rules that hold for a target but do not come from files in the tree. */
export function compileLists({ workspace, ruleRoot }: DumpTarget, options: RuleOptions, uses: PatternUses): RuleLists {
  const { overrides, noDefaults = false, warn } = options;
  const base = segmentsOf(ruleRoot);
  const { excluded, kept } = patternsOf(options, (scope) => globRoot(workspace, posix.join(ruleRoot, scope)));
  const withUse = (excludes: boolean) => (pattern: FlagPattern) => {
    const use = uses.get(pattern.label) ?? { isMatched: false };
    uses.set(pattern.label, use);
    // A walk need not come upon an entry that is omitted anyway.
    if (excludes && pattern.isEntry) use.isMatched = true;
    return { ...pattern, use };
  };
  const leftOut = excluded.map(withUse(true));
  const ofFlags = [...new Set(excluded.map(({ scope }) => scope))].map((at) => {
    const inScope = leftOut.filter(({ scope }) => scope === at);
    return compilePatterns(inScope, [...base, ...segmentsOf(at)], true);
  });
  const ofOverrides = overrides
    ? [parseContextRules(overrides.content, { file: overrides.file, base, layer: LAYERS.overrides }, warn)]
    : [];
  const omissions = noDefaults ? [] : omissionRules();
  return {
    omissions: new RuleList(omissions.filter(({ directoriesOnly }) => !directoriesOnly)),
    omittedDirectories: new RuleList(omissions.filter(({ directoriesOnly }) => directoriesOnly)),
    builtIn: new RuleList(noDefaults ? [] : defaultRules()),
    late: [...ofOverrides, ...ofFlags],
    kept: kept.map((patterns) => compilePatterns(patterns.map(withUse(false)), base, false)),
  };
}

/** Reads the rule files from the rule root down to the directory that holds the target. */
export async function readRulesAbove(
  { workspace, path, ruleRoot }: DumpTarget,
  lists: RuleLists,
  options: Pick<RuleOptions, 'warn' | 'noDefaults'>,
): Promise<PlacedRules> {
  const names = segmentsOf(path);
  let rules = rulesAtTop(lists);
  for (const [depth, name] of names.entries()) {
    if (depth >= segmentsOf(ruleRoot).length) {
      rules = await workspace.withDirectory(`./${names.slice(0, depth).join('/')}`, async (opened) => ({
        cascade: withLists(rules.cascade, [readContextFiles(opened, options.warn)]),
        attributes: options.noDefaults ? rules.attributes : withLists(rules.attributes, [readAttributes(opened)]),
      }));
    }
    rules = openRules(rules, name);
  }
  return rules;
}

/** Reads the `.contextfiles` of a directory. If it cannot be read, that becomes a warning. */
export function readContextFiles(directory: OpenDirectory, warn: RuleOptions['warn']): ContextList {
  const file = escapePath(directory.pathOf('.contextfiles'));
  const content = readFile(directory, '.contextfiles', { file, warn });
  const source = { file, base: segmentsOf(directory.path), layer: LAYERS.contextFiles };
  return parseContextRules(content ?? NOTHING, source, warn);
}

/** Reads the rules of the `.gitattributes` of a directory on generated and vendored files. */
export function readAttributes(directory: OpenDirectory): ContextList {
  const file = escapePath(directory.pathOf('.gitattributes'));
  const content = readFile(directory, '.gitattributes', { file, warn: () => {} });
  return attributeRules(content ?? NOTHING, file, segmentsOf(directory.path));
}

function readFile(directory: OpenDirectory, name: string, { file, warn }: { file: string; warn: RuleOptions['warn'] }) {
  try {
    const open = directory.openFile(name);
    try {
      if (open.size <= MAX_RULE_FILE) return open.slice(0, open.size);
      warn(`${file} is larger than 1 MiB (its rules are not applied)`);
    } finally {
      open.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      warn(`${file} could not be read (its rules are not applied)`);
    }
  }
  return undefined;
}
