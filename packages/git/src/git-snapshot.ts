import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { hasSensitiveSegment } from '@jinn/workspace/secrets/names';
import type { Repository } from './git-repository.ts';

const MOST_BYTES = 512 * 1024 * 1024;
const RULE_FILES: ReadonlySet<string> = new Set(['.gitignore', '.ignore', '.gitattributes', '.contextfiles']);
const REGULAR = /^100/;

interface LaidOut {
  readonly files: readonly string[];
  readonly below: readonly string[];
  readonly into: string;
}

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly name: string;
}

/**
 * Writes files as a commit has them below a directory, each at its absolute path there, with the rule files of the
 * directories above them and an index of git that names them. Links, submodules and secrets are omitted.
 */
export async function layOut(repository: Repository, commit: string, { files, below, into }: LaidOut): Promise<void> {
  const { top } = repository;
  const wanted = files.filter((file) => below.some((at) => file === at || file.startsWith(at === '/' ? at : `${at}/`)));
  const names = new Set(wanted.map((file) => path.relative(top, file)));
  const directories = new Set(['.', ...[...names].flatMap(directoriesAbove)]);
  const isRuleFile = (name: string) => RULE_FILES.has(path.basename(name)) && directories.has(path.dirname(name));
  const entries = (await listTree(repository, commit)).filter(
    ({ mode, name }) => REGULAR.test(mode) && isPlain(name) && (names.has(name) || isRuleFile(name)),
  );
  const root = path.join(into, top);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  await writeFiles(repository, entries, root);
  const changed = entries.filter(({ name }) => names.has(name));
  await writeIndex(repository, changed, path.join(root, '.git'));
}

function directoriesAbove(name: string): string[] {
  const directory = path.dirname(name);
  return directory === '.' ? [] : [directory, ...directoriesAbove(directory)];
}

/** Security: anyone who made the commit may have put any name into it, such as `..`. */
function isPlain(name: string): boolean {
  const parts = name.split('/');
  return !parts.some((part) => part === '' || part === '.' || part === '..') && !hasSensitiveSegment(name);
}

async function listTree(repository: Repository, commit: string): Promise<TreeEntry[]> {
  const lines = (await repository.git(['ls-tree', '-r', '-z', '--full-tree', commit])).split('\0').filter(Boolean);
  return lines.map((line) => {
    const [mode = '', , object = ''] = line.slice(0, line.indexOf('\t')).split(' ');
    return { mode, object, name: line.slice(line.indexOf('\t') + 1) };
  });
}

/** The contents are written as they are stored: no filter runs. */
async function writeFiles(repository: Repository, entries: readonly TreeEntry[], root: string): Promise<void> {
  const writer = new BlobWriter(entries.map(({ name }) => path.join(root, name)));
  const input = Buffer.from(entries.map(({ object }) => `${object}\n`).join(''));
  try {
    await repository.stream(['cat-file', '--batch'], { input, onData: (chunk) => writer.take(chunk) });
  } finally {
    writer.close();
  }
}

const NEWLINE = 0x0a;

/** Writes what `git cat-file --batch` prints: for each object a line with its size, the content, and a newline. */
class BlobWriter {
  readonly #files: readonly string[];
  #next = 0;
  #line = '';
  #fd: number | undefined;
  #rest = 0;
  #total = 0;

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at += this.#fd === undefined ? this.#readHead(chunk, at) : this.#copy(chunk, at);
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #readHead(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    this.#line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
    if (end < 0) return chunk.length - at;
    if (this.#line !== '') this.#begin(this.#line); // The line is empty: it is the newline after the content before.
    this.#line = '';
    return end + 1 - at;
  }

  #begin(line: string): void {
    const [, size] = / blob (\d+)$/.exec(line) ?? [];
    if (size === undefined) {
      throw new ToolError('not_found', 'the repository lacks contents of that commit: it may be a partial clone', {
        suggestion: 'let git fetch them first: run git diff with the same range',
      });
    }
    this.#rest = Number(size);
    this.#total += this.#rest;
    if (this.#total > MOST_BYTES) {
      throw new ToolError('resource_limit', `what changed has more than ${MOST_BYTES / 1024 ** 2} MiB`, {
        suggestion: 'name the files or directories that you need, or a smaller range',
      });
    }
    const file = this.#files[this.#next++] as string;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#fd = fs.openSync(file, 'wx', 0o600);
    if (this.#rest === 0) this.close();
  }

  #copy(chunk: Buffer, at: number): number {
    const bytes = chunk.subarray(at, at + this.#rest);
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(this.#fd as number, bytes, written);
    this.#rest -= bytes.length;
    if (this.#rest === 0) this.close();
    return bytes.length;
  }
}

/** Files that git tracks are included although they are in `build/` and the like. */
async function writeIndex(repository: Repository, entries: readonly TreeEntry[], git: string): Promise<void> {
  fs.mkdirSync(git, { mode: 0o700 });
  fs.writeFileSync(path.join(git, 'HEAD'), 'ref: refs/heads/none\n');
  const input = Buffer.from(entries.map(({ mode, object, name }) => `${mode} ${object}\t${name}\0`).join(''));
  const plain = ['-c', 'core.splitIndex=false', '-c', 'index.version=2', '-c', 'index.sparse=false'];
  await repository.stream([...plain, 'update-index', '-z', '--index-info'], {
    input,
    variables: { GIT_INDEX_FILE: path.join(git, 'index') },
    onData: () => {},
  });
}
