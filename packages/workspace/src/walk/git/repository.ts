import { posix } from 'node:path';
import { fromSystemError, isOutOfDescriptors } from '@jinn/core/errors';
import type { OpenDirectory, OpenFile, Workspace } from '../../guard/index.ts';
import { openOfUser, openPlainly, readUpTo } from '../read-plainly.ts';
import { Cascade, CompiledFiles } from '../rules/cascade.ts';
import { parseRules, type Rule, toBytes } from '../rules/rule-file.ts';
import { RuleList } from '../rules/rule-list.ts';
import { showPath, type Warnings } from '../warnings.ts';
import { findExcludeFile, findGitDirectory } from './git-directory.ts';
import { findUserExcludes } from './user-excludes.ts';

const MAX_RULE_FILE = 1024 * 1024;
const NO_RULES = new RuleList<Rule>([]);
const NOTHING = new Cascade<Rule>();

/** The rule files of a directory. A higher rank wins from any directory above. The rules of `.ignore` are for more tools than Git. */
const RULE_FILES = [
  { name: '.gitignore', rank: 0 },
  { name: '.ignore', rank: 1 },
] as const;

const compiled = new CompiledFiles<Rule>();

/**
 * Reads the gitignore rules that apply in a directory and come from above it: from the top of its repository down, or
 * else from the workspace root, or from the directory `from` below it. The directory's own rules are not among them.
 *
 * Security: above the workspace root, and in `.git`, this opens files that no caller may open. It opens rule files and
 * what points to them, nothing else, and shows none of their content.
 */
export async function rulesAbove(
  workspace: Workspace,
  start: OpenDirectory,
  warnings: Warnings,
  from?: string,
): Promise<Cascade<Rule>> {
  const real = realPathOf(workspace, start.path);
  const repository = findTop(real, workspace.root);
  const top = repository ?? realPathOf(workspace, from ?? '.');
  let rules = repository === undefined || top === real ? NOTHING : addExcludes(NOTHING, top, { workspace, warnings });
  let directory = top;
  for (const name of namesBetween(top, real)) {
    rules = (await addRulesAt(rules, directory, { workspace, warnings })).open(toBytes(name));
    directory = posix.join(directory, name);
  }
  return rules;
}

/** Adds the rules of the files in a directory, or only of those whose names it has. */
export function addOwnRules(
  rules: Cascade<Rule>,
  directory: OpenDirectory,
  { warnings, has = () => true }: { readonly warnings: Warnings; readonly has?: (name: string) => boolean },
): Cascade<Rule> {
  const open = (name: string) => directory.openFile(name);
  const show = (name: string) => showPath(directory.pathOf(name));
  return addFiles(rules, { open, show, has }, warnings);
}

interface RuleSource {
  open(name: string): OpenFile;
  show(name: string): string;
  has(name: string): boolean;
}

function addFiles(above: Cascade<Rule>, { open, show, has }: RuleSource, warnings: Warnings): Cascade<Rule> {
  let rules = above;
  for (const { name, rank } of RULE_FILES) {
    if (has(name))
      rules = rules.with(
        readRules(() => open(name), show(name), { warnings, rank }),
        { rank },
      );
  }
  return rules;
}

interface Surroundings {
  readonly workspace: Workspace;
  readonly warnings: Warnings;
}

/**
 * Returns the rules that start in a directory if it is the top of a repository: those for all of the repository, and of
 * the rules above those that are not for Git.
 */
export function findExcludes(
  above: Cascade<Rule>,
  directory: OpenDirectory,
  { workspace, warnings }: Surroundings,
): Cascade<Rule> | undefined {
  const real = realPathOf(workspace, directory.path);
  if (findGitDirectory(real, workspace.root) === undefined) return undefined;
  return addExcludes(above.ranked(), real, { workspace, warnings });
}

/** The rules of `info/exclude` win over the user's own. */
function addExcludes(rules: Cascade<Rule>, top: string, { workspace, warnings }: Surroundings): Cascade<Rule> {
  const { root, variables } = workspace;
  const directory = findGitDirectory(top, root);
  const file = directory && findExcludeFile(directory, root);
  const user = findUserExcludes(top, variables);
  const ofUser = user === undefined ? NO_RULES : readRules(() => openOfUser(user), 'core.excludesFile', { warnings });
  const own = file === undefined ? NO_RULES : readRules(() => openPlainly(file), '.git/info/exclude', { warnings });
  return rules.with(ofUser).with(own);
}

function findTop(directory: string, root: string): string | undefined {
  for (let at = directory; ; at = posix.dirname(at)) {
    if (findGitDirectory(at, root) !== undefined) return at;
    if (at === '/') return undefined;
  }
}

function namesBetween(top: string, directory: string): string[] {
  return posix.relative(top, directory).split('/').filter(Boolean);
}

/** The guard opens the rule files of a directory inside of the workspace. */
function addRulesAt(
  rules: Cascade<Rule>,
  directory: string,
  { workspace, warnings }: Surroundings,
): Promise<Cascade<Rule>> | Cascade<Rule> {
  const inside = posix.relative(workspace.root, directory);
  if (inside !== '..' && !inside.startsWith('../')) {
    return workspace.withDirectory(`./${inside}`, async (opened) => addOwnRules(rules, opened, { warnings }));
  }
  const open = (name: string) => openPlainly(posix.join(directory, name));
  const show = (name: string) => `a ${name} above the working directory`;
  return addFiles(rules, { open, show, has: () => true }, warnings);
}

interface ReadOptions {
  readonly warnings: Warnings;
  readonly rank?: number;
}

function readRules(open: () => OpenFile, shown: string, options: ReadOptions): RuleList<Rule> {
  const { warnings } = options;
  try {
    const content = readUpTo(open(), MAX_RULE_FILE);
    if (content) return compile(content, shown, options);
    warnings.add(`${shown} is larger than 1 MiB (its rules are not applied)`);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw fromSystemError(error, shown);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warnings.add(`${shown} could not be read (its rules are not applied)`);
  }
  return NO_RULES;
}

function compile(content: Buffer, shown: string, { warnings, rank = 0 }: ReadOptions): RuleList<Rule> {
  const { list, faults } = compiled.get(`${shown}\n${content.toString('latin1')}`, () => {
    const parsed = parseRules(content, shown, 'includes');
    const rules = rank === 0 ? parsed.rules : parsed.rules.map((rule) => ({ ...rule, coversTracked: true }));
    return { list: new RuleList(rules), faults: parsed.faults };
  });
  for (const { line, reason } of faults) warnings.add(`${shown}: line ${line} ${reason}`);
  return list;
}

function realPathOf({ root }: Workspace, path: string): string {
  return posix.resolve(root, path);
}
