import fs from 'node:fs';
import path from 'node:path';
import {
  createRoom,
  describeFile,
  fingerprintFolder,
  type HashRoom,
} from '../../../custom-tools/src/folders/fingerprint-folder.ts';

const MAX_ENTRIES = 1_000_000;
const MAX_FOUND = 5_000;
const SLICE = 5_000;

export interface SearchOptions {
  readonly first?: boolean;
}

/** Finds files by FileNames above, in and below a directory, also where git ignores them. Returns undefined if there are too many. */
export async function findNamed(
  root: string,
  names: readonly string[],
  { first = false }: SearchOptions = {},
): Promise<readonly string[] | undefined> {
  const wanted = new FileNames(names);
  const found = new Set(above(root).flatMap((directory) => filesIn(directory, names, wanted)));
  const waiting = [root];
  let looked = 0;
  let turnAt = SLICE;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (first && found.size > 0) break;
    for (const entry of entriesOf(directory)) {
      if (++looked > MAX_ENTRIES) return undefined;
      for (const file of filesAt(directory, entry, wanted)) found.add(file);
      if (entry.isDirectory()) waiting.push(path.join(directory, entry.name));
    }
    if (!first && found.size > MAX_FOUND) return undefined;
    if (looked < turnAt) continue;
    turnAt = looked + SLICE;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...found].sort();
}

function above(directory: string): string[] {
  const parents: string[] = [];
  for (let at = directory; at !== path.dirname(at); ) {
    at = path.dirname(at);
    parents.push(at);
  }
  return parents;
}

/** A directory above the workspace may be very large: it is listed only for names with `*`. */
function filesIn(directory: string, names: readonly string[], wanted: FileNames): string[] {
  const exact = names.filter((name) => !name.includes('*')).flatMap((name) => resolveRest(directory, name));
  if (!names.some((name) => name.includes('*'))) return exact;
  return [...exact, ...entriesOf(directory).flatMap((entry) => filesAt(directory, entry, wanted))];
}

function entriesOf(directory: string): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function filesAt(directory: string, entry: fs.Dirent, wanted: FileNames): string[] {
  const file = path.join(directory, entry.name);
  const below = wanted.below(entry.name).flatMap((rest) => resolveRest(file, rest));
  return !entry.isDirectory() && wanted.has(entry.name) ? [file, ...below] : below;
}

function resolveRest(directory: string, rest: string): string[] {
  const target = path.join(directory, rest).replace(/\/$/, '');
  if (!rest.includes('*')) return isMeant(target, /^$|\/$/.test(rest)) ? [target] : [];
  const pattern = toPattern(path.basename(target));
  const names = entriesOf(path.dirname(target)).map(({ name }) => name);
  const files = names.filter((name) => pattern.test(name.toLowerCase()));
  return files.map((name) => path.join(path.dirname(target), name)).filter((file) => isMeant(file, false));
}

function isMeant(target: string, isDirectory: boolean): boolean {
  try {
    // Throwing and catching an error would take longer.
    return fs.existsSync(target) && fs.statSync(target).isDirectory() === isDirectory;
  } catch {
    return false;
  }
}

/** Names of files: `name`, `directory/name`, `*.name`, or `directory/` for all in it. Upper and lower case are the same. */
class FileNames {
  readonly #plain: ReadonlySet<string>;
  readonly #starred: readonly RegExp[];
  readonly #below = new Map<string, string[]>();

  constructor(names: readonly string[]) {
    const bare = names.map((name) => name.toLowerCase()).filter((name) => !name.includes('/'));
    this.#plain = new Set(bare.filter((name) => !name.includes('*')));
    this.#starred = bare.filter((name) => name.includes('*')).map(toPattern);
    for (const name of names.filter((one) => one.includes('/'))) {
      const at = name.indexOf('/');
      const first = name.slice(0, at).toLowerCase();
      this.#below.set(first, [...(this.#below.get(first) ?? []), name.slice(at + 1)]);
    }
  }

  has(name: string): boolean {
    const lower = name.toLowerCase();
    return this.#plain.has(lower) || this.#starred.some((pattern) => pattern.test(lower));
  }

  /** Returns the names that count below a directory, as paths from there. An empty path is the directory itself. */
  below(directory: string): readonly string[] {
    return this.#below.get(directory.toLowerCase()) ?? [];
  }
}

/** Makes the pattern of a name with `*`, for names in lower case. */
function toPattern(name: string): RegExp {
  return new RegExp(`^${name.toLowerCase().split('*').map(escapePattern).join('.*')}$`);
}

/** Makes a pattern for the relative paths, with slashes, that one of these names means. */
export function toPathPattern(names: readonly string[]): RegExp {
  const patterns = names.map((name) => {
    const pattern = name.split('*').map(escapePattern).join('[^/]*');
    return name.endsWith('/') ? pattern : `${pattern}$`;
  });
  return patterns.length === 0 ? /(?!)/ : new RegExp(`(?:^|/)(?:${patterns.join('|')})`, 'i');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Hashes files and directories: paths, contents, executable bits. Returns undefined for too many or unreadable ones. */
export function fingerprintFiles(root: string, files: readonly string[]): string | undefined {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const whole = createHash('sha256');
  const room = createRoom();
  try {
    for (const file of [...new Set(files)].sort()) {
      const named = path.relative(root, file);
      whole.update(`${JSON.stringify([named, ...describe(root, file, room)])}\n`);
    }
    return whole.digest('hex');
  } catch {
    return undefined;
  }
}

function describe(root: string, file: string, room: HashRoom): readonly string[] {
  if (!fs.existsSync(file)) return ['none'];
  const real = fs.realpathSync.native(file);
  const place = path.relative(root, real);
  const stat = fs.statSync(real, { bigint: true });
  if (--room.files < 0) throw new RangeError('too many files');
  if (stat.isFile()) return [place, ...describeFile(real, stat, room)];
  if (!stat.isDirectory()) return [place, 'other'];
  const folder = fingerprintFolder(real, room);
  if (folder === undefined) throw new RangeError('a folder that is too large');
  return [place, 'directory', folder];
}
