import { posix } from 'node:path';
import { defineTool } from '@jinn/core';
import { isOutOfDescriptors, ToolError } from '@jinn/core/errors';
import type { OpenDirectory, OpenFile } from '@jinn/workspace';
import { isSensitiveSegment } from '@jinn/workspace/secrets/names';
import {
  adviseGlob,
  EXCLUDED_DIRECTORIES,
  globRoots,
  PathMatcher,
  readGlobs,
  type TakenFiles,
  walk,
} from '@jinn/workspace/walk';

const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_FILES = 100_000;
const MAX_LISTED = 100;
const CHUNK_BYTES = 1024 * 1024;

export const checksumTree = defineTool({
  name: 'checksum_tree',
  effect: 'read',
  description:
    'SHA-256 of every file below a directory, hidden ones too. Skips .git, node_modules, build and the like, secrets, links and files over 50 MB. With a baseline it lists the changes.',
  input: (z) =>
    z.strictObject({
      path: z._default(z.string().check(z.minLength(1), z.describe('Directory')), '.'),
      pattern: z.optional(z.string().check(z.minLength(1), z.describe('Glob: *.ts'))),
      baseline: z.optional(z.record(z.string(), z.string()).check(z.describe('Earlier result: path to SHA-256'))),
    }),
  output: { type: 'object', description: 'Path to SHA-256. With a baseline: changed, added, removed and hashes' },
  examples: [{}, { path: 'src', pattern: '*.ts' }, { baseline: { 'README.md': '0'.repeat(64) } }],

  async run({ path, pattern, baseline }, { workspace, checkpoint, progress }) {
    const start = workspace.status(path).path;
    const roots = globRoots(workspace, [start]);
    const matcher = new PathMatcher(pattern === undefined ? [] : readGlobs(pattern, roots));
    const hasher = createHasher(checkpoint);
    const found = new Map<string, string>();
    const skipped = new Set<string>();
    const takeFiles = async (directory: OpenDirectory, { names }: TakenFiles) => {
      const wanted = names.filter((name) => matcher.matches(directory.path, name));
      if (found.size + wanted.length > MAX_FILES)
        throw new ToolError('resource_limit', `there are more than ${MAX_FILES} files to hash`, {
          suggestion: 'narrow it with path or pattern',
        });
      for (const name of wanted) {
        await checkpoint();
        const hash = await hasher(directory, name);
        const file = directory.pathOf(name);
        if (hash === undefined) skipped.add(file);
        else found.set(file, hash);
        progress(`hashed ${file}`, found.size);
      }
    };
    const options = { hidden: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint, takeFiles };
    const { warnings } = await walk(workspace, path, options, () => undefined);
    const unmatched = matcher
      .unmatched()
      .map((glob) => adviseGlob(workspace, glob, start) ?? `no file matches ${glob}`);
    const meta = { skipped: [...skipped].slice(0, MAX_LISTED), skipped_count: skipped.size };
    const rest = { warnings: [...warnings, ...unmatched], ...(skipped.size > 0 && { meta }) };
    if (baseline === undefined) return { data: toObject(found), ...rest };
    const inView = (known: string) => isInView(known, start, matcher) && !skipped.has(known);
    return { data: compare(baseline, found, inView), ...rest };
  },
});

function createHasher(
  checkpoint: () => Promise<void>,
): (at: OpenDirectory, name: string) => Promise<string | undefined> {
  const { createHash, hash: hashOf } = process.getBuiltinModule('node:crypto');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  async function hashFile(file: OpenFile): Promise<string> {
    const length = file.read(buffer, 0);
    if (length < buffer.length) return hashOf('sha256', buffer.subarray(0, length));
    const hash = createHash('sha256').update(buffer);
    for (let at = length, count = length; count === buffer.length; at += count) {
      await checkpoint();
      count = file.read(buffer, at);
      hash.update(buffer.subarray(0, count));
    }
    return hash.digest('hex');
  }

  return async (directory, name) => {
    const file = openOrSkip(directory, name);
    if (file === undefined) return undefined;
    try {
      return file.size > MAX_FILE_BYTES ? undefined : await hashFile(file);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_a_file') return undefined; // It cannot be read to its end.
      throw error;
    } finally {
      file.close();
    }
  };
}

function openOrSkip(directory: OpenDirectory, name: string): OpenFile | undefined {
  try {
    return directory.openFile(name);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return undefined;
  }
}

function isInView(known: string, start: string, matcher: PathMatcher): boolean {
  const inside = start === '.' ? known : known.startsWith(`${start}/`) ? known.slice(start.length + 1) : '';
  const [directory, name] = [posix.dirname(inside), posix.basename(inside)];
  if (name === '' || !matcher.matches(posix.dirname(known), name) || isSensitiveSegment(name)) return false;
  return !directory.split('/').some((segment) => EXCLUDED_DIRECTORIES.has(segment) || isSensitiveSegment(segment));
}

function compare(
  baseline: Readonly<Record<string, string>>,
  found: ReadonlyMap<string, string>,
  inView: (known: string) => boolean,
) {
  const before = new Map(Object.entries(baseline));
  const paths = [...found.keys()];
  const added = paths.filter((path) => !before.has(path));
  const changed = paths.filter((path) => before.has(path) && before.get(path)?.toLowerCase() !== found.get(path));
  const removed = [...before.keys()].filter((path) => !found.has(path) && inView(path)).sort();
  const hashes = toObject(new Map([...changed, ...added].sort().map((path) => [path, found.get(path) ?? ''])));
  return { changed, added, removed, unchanged_count: paths.length - added.length - changed.length, hashes };
}

function toObject(entries: ReadonlyMap<string, string>): Record<string, string> {
  const object: Record<string, string> = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}
