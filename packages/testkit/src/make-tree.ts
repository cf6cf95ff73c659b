import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The content of a file, or a link. A name that ends in "/" is an empty directory. */
export type TreeEntry =
  | string
  | Uint8Array
  | { readonly symlink: string }
  | { readonly fifo: true }
  | { readonly content: string | Uint8Array; readonly mode?: number; readonly mtime?: Date };

export type FileTree = Readonly<Record<string, TreeEntry>>;

/** Writes a tree of real files below `root`. */
export function makeTree(root: string, files: FileTree): void {
  for (const [name, entry] of Object.entries(files)) {
    const target = path.join(root, name);
    fs.mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (!name.endsWith('/')) makeEntry(target, entry);
  }
}

function makeEntry(target: string, entry: TreeEntry): void {
  if (typeof entry === 'string' || entry instanceof Uint8Array) fs.writeFileSync(target, entry);
  else if ('symlink' in entry) fs.symlinkSync(entry.symlink, target);
  else if ('fifo' in entry) execFileSync('mkfifo', [target]);
  else {
    fs.writeFileSync(target, entry.content);
    if (entry.mode !== undefined) fs.chmodSync(target, entry.mode);
    if (entry.mtime) fs.utimesSync(target, entry.mtime, entry.mtime);
  }
}
