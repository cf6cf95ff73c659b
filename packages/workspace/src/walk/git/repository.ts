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
  let rules = repository === undefined || top === real ? NOTHING : readExcludes(top, workspace, warnings);
  let directory = top;
  for (const name of namesBetween(top, real)) {
    rules = rules.with(await readRulesAt(directory, workspace, warnings)).open(toBytes(name));
    directory = posix.join(directory, name);
  }
  return rules;
}

export function readOwnRules(directory: OpenDirectory, warnings: Warnings): RuleList<Rule> {
  return readRules(() => directory.openFile('.gitignore'), showPath(directory.pathOf('.gitignore')), warnings);
}

/** Reads the rules that apply in all of a repository if a directory is its top. */
export function findExcludes(
  workspace: Workspace,
  directory: OpenDirectory,
  warnings: Warnings,
): Cascade<Rule> | undefined {
  const real = realPathOf(workspace, directory.path);
  return findGitDirectory(real, workspace.root) === undefined ? undefined : readExcludes(real, workspace, warnings);
}

/** The rules of `info/exclude` win over the user's own. */
function readExcludes(top: string, { root, variables }: Workspace, warnings: Warnings): Cascade<Rule> {
  const directory = findGitDirectory(top, root);
  const file = directory && findExcludeFile(directory, root);
  const user = findUserExcludes(top, variables);
  const ofUser = user === undefined ? NO_RULES : readRules(() => openOfUser(user), 'core.excludesFile', warnings);
  const own = file === undefined ? NO_RULES : readRules(() => openPlainly(file), '.git/info/exclude', warnings);
  return NOTHING.with(ofUser).with(own);
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

/** The guard opens the `.gitignore` of a directory inside of the workspace. */
function readRulesAt(
  directory: string,
  workspace: Workspace,
  warnings: Warnings,
): Promise<RuleList<Rule>> | RuleList<Rule> {
  const inside = posix.relative(workspace.root, directory);
  if (inside !== '..' && !inside.startsWith('../')) {
    return workspace.withDirectory(`./${inside}`, async (opened) => readOwnRules(opened, warnings));
  }
  const open = () => openPlainly(posix.join(directory, '.gitignore'));
  return readRules(open, 'a .gitignore above the working directory', warnings);
}

function readRules(open: () => OpenFile, shown: string, warnings: Warnings): RuleList<Rule> {
  try {
    const content = readUpTo(open(), MAX_RULE_FILE);
    if (content) return compile(content, shown, warnings);
    warnings.add(`${shown} is larger than 1 MiB (its rules are not applied)`);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw fromSystemError(error, shown);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warnings.add(`${shown} could not be read (its rules are not applied)`);
  }
  return NO_RULES;
}

function compile(content: Buffer, shown: string, warnings: Warnings): RuleList<Rule> {
  const { list, faults } = compiled.get(`${shown}\n${content.toString('latin1')}`, () => {
    const parsed = parseRules(content, shown, 'includes');
    return { list: new RuleList(parsed.rules), faults: parsed.faults };
  });
  for (const { line, reason } of faults) warnings.add(`${shown}: line ${line} ${reason}`);
  return list;
}

function realPathOf({ root }: Workspace, path: string): string {
  return posix.resolve(root, path);
}
