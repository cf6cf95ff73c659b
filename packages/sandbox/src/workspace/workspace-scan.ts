import fs from 'node:fs';
import { ToolError } from '@jinn/errors';
import { type BytePath, listDirectory, toSystemPath, toText } from '@jinn/git';
import { isHiddenName } from '@jinn/secrets/names';

const MAX_DIRECTORIES = 1_000_000;

/** What one directory holds that matters to the sandbox. */
interface Listing {
  readonly ino: number;
  readonly ctimeMs: number;
  readonly secrets: readonly BytePath[];
  readonly hasGit: boolean;
  /** True when git would take the directory itself for a repository. */
  readonly isBare: boolean;
  readonly directories: readonly BytePath[];
}

export interface Scan {
  /** Secrets by their names: `.env*`, `.ssh`, … */
  readonly secrets: BytePath[];
  /** Everything called `.git`, and directories that are repositories by what they hold. */
  readonly gits: BytePath[];
}

/**
 * Finds secrets and repositories in a workspace. A listing holds for as long as the inode and the change time of its
 * directory stay the same.
 */
export class WorkspaceScanner {
  readonly #known = new Map<BytePath, Listing>();
  readonly #max: number;

  constructor(maxDirectories = MAX_DIRECTORIES) {
    this.#max = maxDirectories;
  }

  /**
   * Looks into all directories but repositories and, unless `everywhere`, `node_modules`. Throws `command_blocked` when
   * there are too many: what was not looked at must not stay unprotected.
   */
  scan(root: BytePath, { everywhere = false } = {}): Scan {
    const scan: Scan = { secrets: [], gits: [] };
    const todo = [root];
    for (let count = 0; todo.length > 0; count++) {
      if (count >= this.#max) throw tooManyDirectories(this.#max);
      const directory = todo.pop() as BytePath;
      const listing = this.#look(directory);
      if (!listing) continue;
      report(directory, listing, scan);
      if (listing.isBare && !everywhere) continue;
      const directories = everywhere ? listing.directories : listing.directories.filter((name) => !SKIPPED.has(name));
      for (const name of directories) todo.push(join(directory, name));
    }
    return scan;
  }

  #look(directory: BytePath): Listing | undefined {
    const stat = fs.lstatSync(toSystemPath(directory), { throwIfNoEntry: false });
    const known = this.#known.get(directory);
    if (stat && known && known.ino === stat.ino && known.ctimeMs === stat.ctimeMs) return known;
    const listing = stat?.isDirectory() ? read(directory, stat) : undefined;
    if (listing) this.#known.set(directory, listing);
    else this.#known.delete(directory);
    return listing;
  }
}

function report(directory: BytePath, { secrets, hasGit, isBare }: Listing, scan: Scan): void {
  for (const name of secrets) scan.secrets.push(join(directory, name));
  if (hasGit) scan.gits.push(join(directory, '.git'));
  if (isBare) scan.gits.push(directory);
}

function join(directory: BytePath, name: BytePath): BytePath {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

const SKIPPED = new Set(['.git', 'node_modules']);

/** Returns undefined if jinn cannot list the directory; a command of the same user cannot list it either. */
function read(directory: BytePath, { ino, ctimeMs }: fs.Stats): Listing | undefined {
  const entries = listDirectory(directory);
  if (!entries) return undefined;
  const secrets = new Set(entries.filter(({ name }) => isSecret(name)).map(({ name }) => name));
  const names = new Set(entries.map(({ name }) => name));
  const directories = entries.filter((entry) => entry.isDirectory() && !secrets.has(entry.name));
  return {
    ino,
    ctimeMs,
    secrets: [...secrets],
    hasGit: names.has('.git'),
    isBare: ['HEAD', 'objects', 'refs'].every((name) => names.has(name)) && !directory.endsWith('/.git'),
    directories: directories.map(({ name }) => name),
  };
}

function isSecret(name: BytePath): boolean {
  if (!/^[.#\x80-\xff]/.test(name)) return false;
  return isHiddenName(toText(name));
}

function tooManyDirectories(max: number): ToolError {
  return new ToolError(
    'command_blocked',
    `the sandbox cannot protect a workspace of more than ${max} directories: it could not look for secrets in all of them`,
    { suggestion: 'ask the person to start jinn in a smaller directory' },
  );
}
