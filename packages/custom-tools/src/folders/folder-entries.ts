import fs from 'node:fs';
import path from 'node:path';

/** An entry below a folder. */
export interface FolderEntry {
  /** Its path from the folder. */
  readonly name: string;
  /** The stat; for a link, that of the link itself. */
  readonly stat: fs.BigIntStats;
}

/**
 * Yields all entries of a folder in the order of their names, a directory before its content. Links are not followed.
 */
export function* entriesOf(root: string, below = ''): Generator<FolderEntry> {
  for (const entry of fs.readdirSync(`${root}/${below}`).sort()) {
    const name = below === '' ? entry : `${below}/${entry}`;
    const stat = fs.lstatSync(`${root}/${name}`, { bigint: true });
    yield { name, stat };
    if (stat.isDirectory()) yield* entriesOf(root, name);
  }
}

/**
 * Returns the target of a link of a folder: as it is written if it stays in the folder, else as an absolute path, so
 * that it leads there from a copy too. Security: `a/../..` may lead anywhere, since `a` may be a link.
 */
export function targetOf(root: string, name: string): string {
  const target = fs.readlinkSync(`${root}/${name}`);
  if (path.isAbsolute(target)) return target;
  const directory = path.posix.dirname(name);
  const resolved = path.posix.join(directory, target);
  const [, later = ''] = /^(?:\.{1,2}(?:\/+|$))*(.*)$/s.exec(target) ?? [];
  const isInside = resolved !== '..' && !resolved.startsWith('../') && !later.split('/').includes('..');
  return isInside ? target : `${root}/${directory}/${target}`;
}

/** The content of a folder, as a person is shown it. */
export interface FolderContent {
  readonly files: number;
  /** The links that lead out of the folder, with where they lead. */
  readonly linksOut: readonly string[];
}

/** Counts the files of a folder, and finds the links that lead out of it. */
export function describeFolder(folder: string): FolderContent {
  const root = fs.realpathSync.native(folder);
  const entries = [...entriesOf(root)].filter(({ stat }) => !stat.isDirectory());
  const links = entries.filter(({ stat }) => stat.isSymbolicLink());
  const targets = links.map(({ name }) => [name, targetOf(root, name)] as const);
  const linksOut = targets
    .filter(([, target]) => path.isAbsolute(target))
    .map(([name, target]) => `${name} -> ${target}`);
  return { files: entries.length, linksOut };
}
