import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { readStart } from '@jinn/workspace';

/** The ones at the top come first, and hold what git opens by itself. */
const MAX_DIRECTORIES = 2_000;
const MAX_POINTER = 4_096;

/** Throws `not_a_file` if the git directory holds a FIFO, a socket or a device: git would open it and wait for ever. */
export function refuseBlockingFiles(directory: string): void {
  const own = findGit(path.resolve(directory));
  const pending = own === undefined ? [] : [own];
  for (let i = 0; i < pending.length && i < MAX_DIRECTORIES; i++) {
    const at = pending[i] as string;
    for (const entry of entriesOf(at)) {
      const named = path.join(at, entry.name);
      if (isBlocking(entry, named)) throw blocked(own as string, named);
      if (entry.isDirectory()) pending.push(named);
      if (i === 0 && entry.name === 'commondir') pending.push(path.resolve(at, readPointer(named)));
    }
  }
}

function findGit(directory: string): string | undefined {
  for (let at = directory; ; at = path.dirname(at)) {
    const named = path.join(at, '.git');
    const stat = fs.statSync(named, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return named;
    if (stat?.isFile()) return path.resolve(at, readPointer(named).replace(/^gitdir: /, ''));
    if (path.dirname(at) === at) return undefined;
  }
}

function readPointer(file: string): string {
  return (readStart(file, MAX_POINTER, { followsLinks: true })?.toString() ?? '').replace(/[\r\n]+$/, '');
}

function entriesOf(directory: string): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // Git reports what is wrong with it.
  }
}

/** Git follows links. */
function isBlocking(entry: fs.Dirent, named: string): boolean {
  if (entry.isFile() || entry.isDirectory()) return false;
  const stat = fs.statSync(named, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** Security: `.git` may name a directory outside of the workspace, so the error says nothing about its content. */
function blocked(own: string, named: string): ToolError {
  const isInside = path.basename(own) === '.git' && named.startsWith(`${own}/`);
  const shown = isInside ? path.join('.git', path.relative(own, named)) : 'a file of its git directory';
  return new ToolError('not_a_file', `git would wait for ${shown} for ever: it is a FIFO, a socket or a device`, {
    suggestion: 'tell the user to remove it: it does not belong to a repository',
  });
}
