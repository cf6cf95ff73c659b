import type { OpenDirectory } from '@jinn/core';
import { compileNameFilter } from '@jinn/walk';
import { type ContextRule, LAYERS, parseContextRules, RuleTable } from './context-rules.ts';
import { defaultRules } from './default-rules.ts';
import { type Exclusions, FLAG_NAMES, type FlagRules, ruleOfKept, rulesOfFlags } from './exclusions.ts';
import type { RuleLists, RulesAbove } from './judge.ts';
import { attributeRules, OMISSION_SIGNS, OmissionTable } from './omission-rules.ts';
import { showPath } from './show-path.ts';
import type { Target } from './targets.ts';

const MAX_RULE_FILE = 1024 * 1024;

/** The lines of an overrides file, or inline rules. */
export interface Overrides {
  readonly file: string;
  readonly content: Uint8Array;
}

/** What rules a user or an agent adds to those in the tree. */
export interface RuleOptions extends Exclusions {
  readonly overrides?: Overrides | undefined;
  /** Drop the built-in rules, and take in lock files, generated files and the like. Secrets stay out. */
  readonly noDefaults?: boolean | undefined;
  /** Called with a sentence on a rule that does not hold. */
  readonly warn: (sentence: string) => void;
}

/** Compiles the rules that hold for a target but do not come from files in the tree. */
export function compileLists(ruleRoot: string, options: RuleOptions): RuleLists {
  const { overrides, keepOnly = [], include = [], noDefaults = false, names = FLAG_NAMES, warn } = options;
  const compile = ({ flag, lines, scope }: FlagRules) =>
    parse({ file: flag, content: Buffer.from(lines.join('\n')) }, ruleRoot + scope, LAYERS.flags, warn);
  const ofFlags = rulesOfFlags(options).map(compile);
  const ofOverrides = overrides ? [parse(overrides, ruleRoot, LAYERS.overrides, warn)] : [];
  const kept = [
    { entries: keepOnly, name: names.keepOnly },
    { entries: include, name: names.include },
  ].filter(({ entries }) => entries.length > 0);
  const builtIn = noDefaults ? [] : defaultRules();
  return {
    omissions: new OmissionTable({ isEmpty: noDefaults }),
    builtIn: new RuleTable(builtIn, ''),
    doubts: compileNameFilter(noDefaults ? [] : [...OMISSION_SIGNS, ...namesOf(builtIn)]),
    late: [...ofOverrides, ...ofFlags],
    kept: kept.map(
      ({ entries, name }) =>
        new RuleTable(
          entries.flatMap((entry) => compile(ruleOfKept(entry, name)).rules),
          ruleRoot,
        ),
    ),
  };
}

/** The patterns of rules that leave out files. Built-in rules are matched against names alone. */
function namesOf(builtIn: readonly ContextRule[]): string[] {
  return builtIn.filter(({ directoriesOnly }) => !directoriesOnly).map(({ pattern }) => pattern);
}

/** Reads the rule files from the rule root down to the directory that holds the target. */
export async function readRulesAbove(
  { workspace, path, ruleRoot }: Target,
  options: Pick<RuleOptions, 'warn' | 'noDefaults'>,
): Promise<RulesAbove> {
  const names = path === '.' ? [] : `${path}/`.slice(ruleRoot.length).split('/').slice(0, -1);
  const files: RuleTable[] = [];
  const attributes: RuleTable[] = [];
  for (let depth = 0; depth < names.length; depth++) {
    const directory = `./${ruleRoot}${names.slice(0, depth).join('/')}`;
    await workspace.withDirectory(directory, async (opened) => {
      files.push(readContextFiles(opened, options.warn));
      if (!options.noDefaults) attributes.push(readAttributes(opened));
    });
  }
  return { files, attributes };
}

/** Reads the `.contextfiles` of a directory. One that cannot be read becomes a warning. */
export function readContextFiles(directory: OpenDirectory, warn: RuleOptions['warn']): RuleTable {
  const base = baseOf(directory);
  const file = showPath(`${base}.contextfiles`);
  const content = readFile(directory, '.contextfiles', { file, warn });
  return content ? parse({ file, content }, base, LAYERS.contextFiles, warn) : new RuleTable([], base);
}

/** Reads what the `.gitattributes` of a directory say of generated and vendored files. */
export function readAttributes(directory: OpenDirectory): RuleTable {
  const base = baseOf(directory);
  const file = `${base}.gitattributes`;
  const content = readFile(directory, '.gitattributes', { file, warn: () => {} });
  return new RuleTable(content ? attributeRules(content, showPath(file), base) : [], base);
}

function baseOf({ path }: OpenDirectory): string {
  return path === '.' ? '' : `${path}/`;
}

function readFile(directory: OpenDirectory, name: string, { file, warn }: { file: string; warn: RuleOptions['warn'] }) {
  try {
    const open = directory.openFile(name);
    try {
      if (open.size <= MAX_RULE_FILE) return open.slice(0, open.size);
      warn(`${file} is larger than 1 MiB; its rules are not applied`);
    } finally {
      open.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      warn(`${file} could not be read; its rules are not applied`);
    }
  }
  return undefined;
}

function parse({ file, content }: Overrides, base: string, layer: number, warn: RuleOptions['warn']): RuleTable {
  const { rules, warnings } = parseContextRules(content, { file, base, layer });
  for (const warning of warnings) warn(warning);
  return new RuleTable(rules, base);
}
