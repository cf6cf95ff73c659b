import type { OpenDirectory } from '@jinn/core';
import { LAYERS, parseContextRules, RuleTable } from './context-rules.ts';
import { defaultRules } from './default-rules.ts';
import { type Exclusions, type FlagRules, ruleOfKept, rulesOfFlags } from './exclusions.ts';
import type { RuleLists } from './judge.ts';
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
  /** Called with a sentence on a rule that does not hold. */
  readonly warn: (sentence: string) => void;
}

/** Compiles the rules that hold for a target but do not come from files in the tree. */
export function compileLists(ruleRoot: string, options: RuleOptions): RuleLists {
  const { overrides, keepOnly = [], warn } = options;
  const compile = ({ flag, lines, scope }: FlagRules) =>
    parse({ file: flag, content: Buffer.from(lines.join('\n')) }, ruleRoot + scope, LAYERS.flags, warn);
  const ofFlags = rulesOfFlags(options).map(compile);
  const ofOverrides = overrides ? [parse(overrides, ruleRoot, LAYERS.overrides, warn)] : [];
  const kept = keepOnly.flatMap((entry) => compile(ruleOfKept(entry)).rules);
  return {
    builtIn: new RuleTable(defaultRules(), ''),
    late: [...ofOverrides, ...ofFlags],
    kept: keepOnly.length > 0 ? new RuleTable(kept, ruleRoot) : undefined,
  };
}

/** Reads the `.contextfiles` from the rule root down to the directory that holds the target. */
export async function readRulesAbove(
  { workspace, path, ruleRoot }: Target,
  warn: RuleOptions['warn'],
): Promise<RuleTable[]> {
  const names = path === '.' ? [] : `${path}/`.slice(ruleRoot.length).split('/').slice(0, -1);
  const tables: RuleTable[] = [];
  for (let depth = 0; depth < names.length; depth++) {
    const directory = `./${ruleRoot}${names.slice(0, depth).join('/')}`;
    tables.push(await workspace.withDirectory(directory, async (opened) => readContextFiles(opened, warn)));
  }
  return tables;
}

/** Reads the `.contextfiles` of a directory. One that cannot be read becomes a warning. */
export function readContextFiles(directory: OpenDirectory, warn: RuleOptions['warn']): RuleTable {
  const base = directory.path === '.' ? '' : `${directory.path}/`;
  const file = showPath(`${base}.contextfiles`);
  const content = readFile(directory, file, warn);
  return content ? parse({ file, content }, base, LAYERS.contextFiles, warn) : new RuleTable([], base);
}

function readFile(directory: OpenDirectory, file: string, warn: RuleOptions['warn']): Buffer | undefined {
  try {
    const open = directory.openFile('.contextfiles');
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
