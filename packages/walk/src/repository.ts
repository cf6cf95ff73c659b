import fs from 'node:fs';
import { posix } from 'node:path';
import { type OpenDirectory, OpenFile, type Workspace } from '@jinn/core';
import { DirectoryRules } from './directory-rules.ts';
import { parseIgnoreRules, type Rule } from './ignore-rules.ts';
import { showPath } from './notes.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const MAX_RULE_FILE = 1024 * 1024;
const MAX_POINTER = 4096;

/** Takes a plain sentence on what was left out. */
export type Note = (sentence: string) => void;

/**
 * The rules that come from above a directory: from the top of its repository down, or from the workspace root where
 * there is none; with `from`, a path below the workspace root, from that directory down. The directory's own are not
 * among them.
 *
 * Security: above the workspace root, and in `.git`, this looks where no caller may. It opens rule files and what
 * points to them, nothing else, and none of it is shown.
 */
export async function rulesAbove(
  workspace: Workspace,
  start: OpenDirectory,
  note: Note,
  from?: string,
): Promise<DirectoryRules> {
  let rules = DirectoryRules.NONE;
  const names = start.path === '.' ? [] : start.path.split('/');
  const above = names.map((_, depth) => names.slice(0, depth).join('/') || '.').toReversed();
  const real = realPathOf(workspace, start.path);
  const top = from === undefined ? findTop(real) : realPathOf(workspace, from);
  const steps: { readonly name: string; readonly read: () => Promise<readonly Rule[]> }[] = [];
  for (let directory = real; directory !== (top ?? workspace.root); directory = posix.dirname(directory)) {
    const inside = above.shift();
    steps.push({
      name: posix.basename(directory),
      read: async () =>
        inside === undefined
          ? readRuleFile(
              () => openPlainly(`${posix.dirname(directory)}/.gitignore`),
              'a .gitignore above the working directory',
              note,
            )
          : workspace.withDirectory(`./${inside}`, async (parent) => readOwnRules(parent, note)),
    });
  }
  if (top !== undefined && top !== real) rules = rules.with(readExcludes(top, note));
  for (const { name, read } of steps.toReversed()) rules = rules.with(await read()).named(name);
  return rules;
}

/** The rules of the `.gitignore` in a directory. */
export function readOwnRules(directory: OpenDirectory, note: Note): readonly Rule[] {
  return readRuleFile(() => directory.openFile('.gitignore'), showPath(directory.pathOf('.gitignore')), note);
}

/** The rules of `.git/info/exclude`, when the directory is the top of a repository; undefined when it is none. */
export function findExcludes(workspace: Workspace, directory: OpenDirectory, note: Note): readonly Rule[] | undefined {
  const real = realPathOf(workspace, directory.path);
  return findGitDirectory(real) === undefined ? undefined : readExcludes(real, note);
}

function readExcludes(top: string, note: Note): readonly Rule[] {
  const git = findGitDirectory(top);
  if (git === undefined) return [];
  const common = posix.resolve(git, readPointer(`${git}/commondir`) ?? '.');
  return readRuleFile(() => openPlainly(`${common}/info/exclude`), '.git/info/exclude', note);
}

/** The nearest directory, from `directory` up, that is the top of a repository. */
function findTop(directory: string): string | undefined {
  for (let at = directory; ; at = posix.dirname(at)) {
    if (findGitDirectory(at) !== undefined) return at;
    if (at === '/') return undefined;
  }
}

/** `.git` itself, or what it points to where it is a file (worktrees, submodules). */
function findGitDirectory(top: string): string | undefined {
  const git = posix.join(top, '.git');
  if (fs.existsSync(`${git}/HEAD`)) return git;
  const target = /^gitdir: (.+)$/s.exec(readPointer(git) ?? '')?.[1];
  const directory = target && posix.resolve(top, target);
  return directory && fs.existsSync(`${directory}/HEAD`) ? directory : undefined;
}

function readPointer(path: string): string | undefined {
  try {
    return readAll(openPlainly(path), MAX_POINTER)
      ?.toString()
      .replace(/[\r\n]+$/, '');
  } catch {
    return undefined;
  }
}

function readRuleFile(open: () => OpenFile, shown: string, note: Note): readonly Rule[] {
  try {
    const content = readAll(open(), MAX_RULE_FILE);
    if (content) return toRules(content, shown, note);
    note(`${shown} is larger than 1 MiB; its rules are not applied`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      note(`${shown} could not be read; its rules are not applied`);
  }
  return [];
}

function toRules(content: Buffer, shown: string, note: Note): readonly Rule[] {
  const { rules, faults } = parseIgnoreRules(content, shown);
  for (const { line, reason } of faults) note(`${shown}: line ${line} ${reason}`);
  return rules;
}

/** Never follows a link at the end of the path, and never blocks on a FIFO. */
function openPlainly(path: string): OpenFile {
  return OpenFile.adopt(fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), path, path);
}

function readAll(file: OpenFile, limit: number): Buffer | undefined {
  try {
    return file.size <= limit ? file.slice(0, file.size) : undefined;
  } finally {
    file.close();
  }
}

function realPathOf({ root }: Workspace, path: string): string {
  return posix.join(root, path);
}
