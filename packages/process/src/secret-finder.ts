import fs from 'node:fs';
import { posix } from 'node:path';
import { isSensitiveSegment } from '@jinn/core';

/** More than the file tools leave out: `.envrc` too. */
const DOT_ENV = /^\.env/i;
/** Files by these names are there to be copied, and hold no secret. */
const SAMPLE = /^\.env\.(example|sample|template|dist|defaults)$/i;
const MAX_DIRECTORIES = 100_000;

/** What a directory holds that matters to the sandbox. */
interface Findings {
  readonly ino: number;
  readonly ctimeMs: number;
  /** Names of secrets, of git directories or files, and of directories to go on with. */
  readonly secrets: readonly string[];
  readonly hasGit: boolean;
  readonly directories: readonly string[];
}

export interface Found {
  /** Absolute paths of secrets by their names: `.env*`, `.ssh`, … */
  readonly secrets: readonly string[];
  /** Absolute paths of everything called `.git`. */
  readonly gits: readonly string[];
}

/**
 * Finds secrets and repositories in a workspace. What was seen of a directory holds for as long as its inode and change
 * time stay the same. Looks into all directories but `.git` and `node_modules`, up to a hundred thousand.
 */
export class SecretFinder {
  readonly #seen = new Map<string, Findings>();

  find(root: string): Found {
    const secrets: string[] = [];
    const gits: string[] = [];
    const todo = [root];
    for (let count = 0; todo.length > 0 && count < MAX_DIRECTORIES; count++) {
      const directory = todo.pop() as string;
      const findings = this.#look(directory);
      if (!findings) continue;
      for (const name of findings.secrets) secrets.push(posix.join(directory, name));
      if (findings.hasGit) gits.push(posix.join(directory, '.git'));
      for (const name of findings.directories) todo.push(posix.join(directory, name));
    }
    return { secrets, gits };
  }

  #look(directory: string): Findings | undefined {
    const stat = fs.lstatSync(directory, { throwIfNoEntry: false });
    const known = this.#seen.get(directory);
    if (stat && known && known.ino === stat.ino && known.ctimeMs === stat.ctimeMs) return known;
    const findings = stat?.isDirectory() ? read(directory, stat) : undefined;
    if (findings) this.#seen.set(directory, findings);
    else this.#seen.delete(directory);
    return findings;
  }
}

function read(directory: string, { ino, ctimeMs }: fs.Stats): Findings | undefined {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(directory, { withFileTypes: true });
  } catch {
    return undefined; // What jinn cannot list, a command of the same user cannot list either.
  }
  const secrets = entries.filter(({ name }) => isSecret(name));
  const skipped = new Set([...secrets.map(({ name }) => name), '.git', 'node_modules']);
  const directories = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
  return {
    ino,
    ctimeMs,
    secrets: secrets.map(({ name }) => name),
    hasGit: entries.some(({ name }) => name === '.git'),
    directories: directories.map(({ name }) => name),
  };
}

function isSecret(name: string): boolean {
  return name !== '.git' && (DOT_ENV.test(name) || isSensitiveSegment(name)) && !SAMPLE.test(name);
}
