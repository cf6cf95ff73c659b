import { posix } from 'node:path';
import { fromSystemError, isOutOfDescriptors, type OpenDirectory, type OpenFile, type Workspace } from '@jinn/core';
import { findExcludeFile, findGitDirectory } from './git-directory.ts';
import { Gitignore } from './gitignore.ts';
import { openPlainly, readUpTo } from './read-plainly.ts';
import { parseRules, type Rule } from './rule-file.ts';
import { showPath, type Warnings } from './warnings.ts';

const MAX_RULE_FILE = 1024 * 1024;

/**
 * The gitignore rules that hold in a directory and come from above it: from the top of its repository down, or from the
 * workspace root where there is no repository; with `from`, a path below the workspace root, from that directory. The
 * directory's own rules are not among them.
 *
 * Security: above the workspace root, and in `.git`, this opens files that no caller may open. It opens rule files and
 * what points to them, nothing else, and shows none of their content.
 */
export async function rulesAbove(
  workspace: Workspace,
  start: OpenDirectory,
  warnings: Warnings,
  from?: string,
): Promise<Gitignore> {
  const real = realPathOf(workspace, start.path);
  const repository = findTop(real, workspace.root);
  const top = repository ?? realPathOf(workspace, from ?? '.');
  const excludes = repository === undefined || top === real ? [] : readExcludes(top, workspace, warnings);
  let rules = Gitignore.NONE.with(excludes);
  let directory = top;
  for (const name of namesBetween(top, real)) {
    rules = rules.with(await readRulesAt(directory, workspace, warnings)).openChild(name);
    directory = posix.join(directory, name);
  }
  return rules;
}

/** The rules of the `.gitignore` in a directory. */
export function readOwnRules(directory: OpenDirectory, warnings: Warnings): readonly Rule[] {
  return readRules(() => directory.openFile('.gitignore'), showPath(directory.pathOf('.gitignore')), warnings);
}

/** The rules of `info/exclude` where a directory is the top of a repository; else undefined. */
export function findExcludes(
  workspace: Workspace,
  directory: OpenDirectory,
  warnings: Warnings,
): readonly Rule[] | undefined {
  const real = realPathOf(workspace, directory.path);
  return findGitDirectory(real, workspace.root) === undefined ? undefined : readExcludes(real, workspace, warnings);
}

function readExcludes(top: string, { root }: Workspace, warnings: Warnings): readonly Rule[] {
  const directory = findGitDirectory(top, root);
  const file = directory && findExcludeFile(directory, root);
  return file === undefined ? [] : readRules(() => openPlainly(file), '.git/info/exclude', warnings);
}

/** The nearest directory, from the given one up, that is the top of a repository. */
function findTop(directory: string, root: string): string | undefined {
  for (let at = directory; ; at = posix.dirname(at)) {
    if (findGitDirectory(at, root) !== undefined) return at;
    if (at === '/') return undefined;
  }
}

function namesBetween(top: string, directory: string): string[] {
  return posix.relative(top, directory).split('/').filter(Boolean);
}

/** The rules of the `.gitignore` at an absolute path, which the guard opens where it lies inside of the workspace. */
function readRulesAt(
  directory: string,
  workspace: Workspace,
  warnings: Warnings,
): Promise<readonly Rule[]> | readonly Rule[] {
  const inside = posix.relative(workspace.root, directory);
  if (inside !== '..' && !inside.startsWith('../')) {
    return workspace.withDirectory(`./${inside}`, async (opened) => readOwnRules(opened, warnings));
  }
  const open = () => openPlainly(posix.join(directory, '.gitignore'));
  return readRules(open, 'a .gitignore above the working directory', warnings);
}

function readRules(open: () => OpenFile, shown: string, warnings: Warnings): readonly Rule[] {
  try {
    const content = readUpTo(open(), MAX_RULE_FILE);
    if (content) return parse(content, shown, warnings);
    warnings.add(`${shown} is larger than 1 MiB; its rules are not applied`);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw fromSystemError(error, shown);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warnings.add(`${shown} could not be read; its rules are not applied`);
  }
  return [];
}

function parse(content: Buffer, shown: string, warnings: Warnings): readonly Rule[] {
  const { rules, faults } = parseRules(content, shown, 'includes');
  for (const { line, reason } of faults) warnings.add(`${shown}: line ${line} ${reason}`);
  return rules;
}

function realPathOf({ root }: Workspace, path: string): string {
  return posix.join(root, path);
}
