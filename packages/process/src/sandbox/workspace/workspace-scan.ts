import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ToolError } from '@jinn/core/errors';
import { isHiddenName } from '@jinn/workspace/secrets/names';
import {
  type BytePath,
  byteText,
  entriesOf,
  GitlinkReader,
  identityAt,
  isSettled,
  setMode,
  toSystemPath,
} from '../git/index.ts';

const MAX_DIRECTORIES = 1_000_000;
/** How long the event loop waits at most, since deadlines and other calls need it. */
const TURN_MS = 20;
const LOOK_AT_CLOCK = 64;

interface Listing {
  /** When the directory changed. Not a number if a later change may keep that time. */
  readonly ctimeMs: number;
  readonly secrets: readonly BytePath[];
  readonly hasGit: boolean;
  /** True if git would use the directory itself as a repository, unless its name is `.git`. */
  readonly isBare: boolean;
  readonly directories: readonly BytePath[];
  readonly links: readonly BytePath[];
  /** The repositories at the top of packages in it, when someone last looked. */
  packages?: readonly BytePath[];
}

export interface WorkspaceScan {
  /** Secrets by their names: `.env*`, `.ssh`, …, and directories that are too deep to be searched. */
  readonly secrets: BytePath[];
  /** Every entry called `.git`, and directories that are repositories by their content. */
  readonly gits: BytePath[];
  /** The links in repositories, and directories there that are too deep to be searched. */
  readonly links: BytePath[];
}

interface ScanOptions {
  readonly everywhere?: boolean;
  /** Repositories outside of the root, in which to look for links. */
  readonly outer?: readonly BytePath[];
  readonly opened?: Map<BytePath, number>;
  readonly signal?: AbortSignal | undefined;
}

interface Scanning extends WorkspaceScan {
  readonly everywhere: boolean;
  readonly opened: ScanOptions['opened'];
  readonly seen: Map<string, Listing>;
  /** Repositories in which no one has looked for links yet. */
  readonly waiting: BytePath[];
  readonly rest: () => Promise<void>;
  count: number;
}

/** Finds secrets and repositories in a workspace. A listing is valid while its directory keeps its change time. */
export class WorkspaceScanner {
  #known = new Map<string, Listing>();
  readonly #gitlinks = new GitlinkReader();
  readonly #max: number;

  constructor(maxDirectories = MAX_DIRECTORIES) {
    this.#max = maxDirectories;
  }

  /**
   * Searches all directories for secrets and repositories, and repositories for links. In packages and in hidden
   * directories, it finds only the repositories at their top and those that an index names, or with `everywhere` all. A
   * directory that its owner may not look into is opened: for a moment, or with `opened` until the caller gives it its
   * mode back. Throws `command_blocked` for too many directories, since none may stay unprotected, and `timeout` when
   * `signal` ends it.
   */
  async scan(root: BytePath, options: ScanOptions = {}): Promise<WorkspaceScan> {
    const { everywhere = false, outer = [], opened, signal } = options;
    if (signal?.aborted) throw tooSlow(0);
    const rest = createRest(signal, () => scan.count);
    const found = { secrets: [], gits: [], links: [], waiting: [...outer] };
    const scan: Scanning = { ...found, everywhere, opened, seen: new Map(), rest, count: 0 };
    await this.#search(root, 'tree', scan);
    if (!everywhere) scan.waiting.push(...(await this.#findNamed(root, scan)));
    for (const git of scan.waiting) await this.#search(git, 'repository', scan);
    this.#known = scan.seen;
    return scan;
  }

  async #search(top: BytePath, kind: PlaceKind, scan: Scanning): Promise<void> {
    const steps = new Steps(top, kind);
    try {
      for (let place = steps.next(); place; place = steps.next()) {
        if (++scan.count > this.#max) {
          throw new ToolError(
            'command_blocked',
            `the sandbox cannot protect a workspace of more than ${this.#max} directories: it could not look for secrets in all of them`,
            { suggestion: 'ask the user to start jinn in a smaller directory' },
          );
        }
        if (scan.count % LOOK_AT_CLOCK === 0) await scan.rest();
        const listing = this.#list(place, scan);
        if (listing) TAKE[place.kind](place, listing, { scan, steps });
      }
    } finally {
      steps.close();
    }
  }

  /** Adds the repositories that an index names, and returns them. Where one is not understood, any could be named. */
  async #findNamed(root: BytePath, { gits, rest }: Scanning): Promise<BytePath[]> {
    const [known, found] = [new Set(gits), gits.length];
    let all: BytePath[] | undefined;
    for (const git of gits) {
      await rest();
      const named = this.#gitlinks.repositoriesIn(git, root);
      if (!named) all ??= await everyGit(root);
      for (const path of named ?? all ?? []) {
        if (!known.has(path)) gits.push(path);
        known.add(path);
      }
    }
    return gits.slice(found);
  }

  #list(place: ScanPlace, { seen, opened }: Scanning): Listing | undefined {
    const path = toSystemPath(place.reachable);
    const stat = statOf(path);
    if (!stat?.isDirectory()) return undefined;
    const id = `${stat.dev}:${stat.ino}`;
    const known = this.#known.get(id);
    const lacking = ~stat.mode & (opened ? 0o500 : 0o400);
    const mode = lacking && process.getuid?.() !== 0 ? setMode(place.path()) : undefined;
    const listing = known?.ctimeMs === stat.ctimeMs ? known : read(path, stat);
    if (mode !== undefined && opened) opened.set(place.path(), mode);
    else if (mode !== undefined) setMode(place.path(), mode);
    if (!listing) return undefined;
    seen.set(id, listing);
    this.#known.set(id, listing); // Should this scan be ended, the next one gets further.
    return listing;
  }
}

/** Finds the `.git` entries of all working trees. */
async function everyGit(root: BytePath): Promise<BytePath[]> {
  const { gits } = await new WorkspaceScanner().scan(root, { everywhere: true });
  return gits.filter((path) => path.indexOf('/.git') === path.length - '/.git'.length);
}

/** Makes a function that lets the event loop turn when it is time, and then throws `timeout` if the signal came. */
export function createRest(signal?: AbortSignal, count = () => 0): () => Promise<void> {
  let turned = performance.now();
  return async () => {
    if (performance.now() - turned < TURN_MS) return;
    await setImmediate();
    turned = performance.now();
    if (signal?.aborted) throw tooSlow(count());
  };
}

type Take = (place: ScanPlace, listing: Listing, found: { readonly scan: Scanning; readonly steps: Steps }) => void;

const TAKE: Readonly<Record<PlaceKind, Take>> = { tree: takeTree, packages: takePackages, repository: takeRepository };

function takeTree(...[place, listing, { scan, steps }]: Parameters<Take>): void {
  const { everywhere, secrets, gits, links } = scan;
  const isBare = listing.isBare && place.name !== '.git';
  if (listing.hasGit) gits.push(`${place.path()}/.git`);
  if (isBare) gits.push(place.path());
  if (isBare) links.push(...listing.links.filter(isOfGit).map((name) => `${place.path()}/${name}`));
  for (const name of listing.secrets) secrets.push(`${place.path()}/${name}`);
  for (const name of listing.directories) {
    const isRepository = !everywhere && (name === '.git' || (isBare && isOfGit(name)));
    const arePackages = (name === 'node_modules' && !everywhere) || listing.secrets.includes(name);
    const kind = isRepository ? 'repository' : arePackages ? 'packages' : 'tree';
    if (!steps.add(name, kind)) secrets.push(`${place.path()}/${name}`);
  }
}

/**
 * Looks for repositories at the top of each package, also in scopes (`@name`), and for none further down. After a command,
 * it looks into each package again. Before one, what was found after the last is enough.
 */
function takePackages(...[place, listing, { scan, steps }]: Parameters<Take>): void {
  const { hasGit, directories } = listing;
  for (const name of directories) if (name.startsWith('@')) steps.add(name, 'packages');
  const isRepository = (name: BytePath) => fs.existsSync(toSystemPath(`${place.reachable}/${name}/.git`));
  if (scan.opened || !listing.packages) listing.packages = directories.filter(isRepository);
  const found = [...(hasGit ? ['.git'] : []), ...listing.packages.map((name) => `${name}/.git`)].map(
    (name) => `${place.path()}/${name}`,
  );
  scan.gits.push(...found);
  scan.waiting.push(...found);
}

function takeRepository(...[place, { links, directories }, { scan, steps }]: Parameters<Take>): void {
  for (const name of links) scan.links.push(`${place.path()}/${name}`);
  // Git makes objects elsewhere and renames them, so it follows no link below these directories.
  const isOfObjects = place.name === 'objects' && OBJECTS.test(place.path());
  for (const name of directories) {
    if (isOfObjects && FAN_OUT.test(name)) continue;
    if (!steps.add(name, 'repository')) scan.links.push(`${place.path()}/${name}`);
  }
}

function isOfGit(name: BytePath): boolean {
  return OF_GIT.test(name);
}

const MAY_BE_SECRET = /^[.#\x80-\xff]/;
/** The names in a bare repository, which may have working trees next to them. */
const OF_GIT =
  /^(HEAD|[A-Z]+_\w+|branches|config.*|gc\..*|hooks|index|info|lfs|logs|modules|objects|packed-refs|rebase-.*|refs|reftable|remotes|rr-cache|sequencer|shallow|sharedindex.*|svn|worktrees)$/;
/** The objects of a repository or submodule. A branch may be called like this, too. */
const OBJECTS = /\/\.git\/(modules\/((?!logs\/|refs\/)[^/]+\/)+)?objects$/;
const FAN_OUT = /^[0-9a-f]{2}$/;

/** Reads a directory. Returns undefined if jinn cannot list it. A command of the same user cannot list it either. */
function read(directory: string | Buffer, stat: fs.Stats): Listing | undefined {
  const ctimeMs = isSettled(stat) ? stat.ctimeMs : Number.NaN;
  const entries = entriesOf(directory);
  if (!entries) return undefined;
  const secrets = new Set(
    entries.filter(({ name }) => MAY_BE_SECRET.test(name) && isHiddenName(byteText(name))).map(({ name }) => name),
  );
  const names = new Set(entries.map(({ name }) => name));
  return {
    ctimeMs,
    secrets: [...secrets],
    hasGit: names.has('.git'),
    isBare: ['HEAD', 'objects', 'refs'].every((name) => names.has(name)),
    directories: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    links: entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name),
  };
}

function statOf(path: string | Buffer): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A directory above is closed to us, and so to commands.
  }
}

function tooSlow(count: number): ToolError {
  return new ToolError(
    'timeout',
    `the command did not run: its time was over while the sandbox looked for secrets and repositories in the workspace (${count} directories so far)`,
    {
      suggestion:
        'send it again in this session, which remembers the files it has looked at, or with a longer timeout, or ask the user to start jinn in a smaller directory',
    },
  );
}

/**
 * No system accepts a path of 4,096 bytes or more. A deeper entry is reached from a directory that is held on the way.
 */
const MAX_REACH = 3_500;
/** Deeper directories are not searched. */
const MAX_PATH_BYTES = 16 * 1024;
const O_PATH = 0o10000000;

/** A directory on the way that is held while something below it must be looked at. */
interface Anchor {
  readonly fd: number;
  readonly above: Anchor | undefined;
  /** The path from the anchor above, or the whole path. */
  readonly from: BytePath;
  users: number;
}

/** What to look for in a directory. */
export type PlaceKind = 'tree' | 'packages' | 'repository';

type PlaceParts = Pick<ScanPlace, 'name' | 'length' | 'kind'>;

/** A directory to look at. */
export class ScanPlace {
  readonly anchor: Anchor | undefined;
  readonly from: BytePath;
  readonly name: BytePath;
  readonly kind: PlaceKind;
  /** The bytes of the whole path. */
  readonly length: number;

  constructor(anchor: Anchor | undefined, from: BytePath, { name, length, kind }: PlaceParts) {
    this.anchor = anchor;
    this.from = from;
    this.name = name;
    this.length = length;
    this.kind = kind;
    if (anchor) anchor.users++;
  }

  /** A path that the system accepts. */
  get reachable(): BytePath {
    return this.anchor ? `/proc/self/fd/${this.anchor.fd}/${this.from}` : this.from;
  }

  path(): BytePath {
    const parts = [this.from];
    for (let at = this.anchor; at; at = at.above) parts.unshift(at.from);
    return parts.join('/');
  }
}

/** The directories that must still be looked at, down to 16 KiB of path. */
class Steps {
  count = 0;
  readonly #todo: ScanPlace[];
  #taken: ScanPlace | undefined;
  /** Holds the directory that was taken, once something far below it is added. */
  #anchor: Anchor | undefined;

  constructor(root: BytePath, kind: PlaceKind) {
    this.#todo = [new ScanPlace(undefined, root, { name: '', length: root.length, kind })];
  }

  /** Takes the next directory. The one before may not be used afterwards. */
  next(): ScanPlace | undefined {
    if (this.#taken) release(this.#taken.anchor);
    this.#taken = this.#todo.pop();
    this.#anchor = undefined;
    if (this.#taken) this.count++;
    return this.#taken;
  }

  /** Adds a directory in the one that was taken last. Returns false if it is too deep. */
  add(name: BytePath, kind: PlaceKind): boolean {
    const above = this.#taken as ScanPlace;
    const length = above.length + 1 + name.length;
    if (length > MAX_PATH_BYTES) return false;
    const isFar = above.from.length + 1 + name.length > MAX_REACH;
    if (isFar) this.#anchor ??= hold(above);
    const anchor = isFar ? this.#anchor : above.anchor;
    if (isFar && !anchor) return true; // It is gone.
    this.#todo.push(new ScanPlace(anchor, isFar ? name : `${above.from}/${name}`, { name, length, kind }));
    return true;
  }

  close(): void {
    for (const place of [this.#taken, ...this.#todo]) release(place?.anchor);
    this.#taken = undefined;
    this.#todo.length = 0;
  }
}

function hold(place: ScanPlace): Anchor | undefined {
  const flags = O_PATH | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW;
  try {
    const fd = fs.openSync(toSystemPath(place.reachable), flags);
    if (place.anchor) place.anchor.users++;
    return { fd, above: place.anchor, from: place.from, users: 0 };
  } catch {
    return undefined;
  }
}

function release(anchor: Anchor | undefined): void {
  if (!anchor || --anchor.users > 0) return;
  fs.closeSync(anchor.fd);
  release(anchor.above);
}

const MAX_HELD = 512;
const DELETED = ' (deleted)';

export interface Secret {
  readonly path: BytePath;
  readonly id: string;
}

/**
 * The secrets that were found in a workspace. A command may move a secret to a place that is not searched: the system
 * knows the present path of a held descriptor. Entries that are not held are looked for everywhere if missing.
 */
export class KnownSecrets {
  readonly #paths: Map<string, BytePath>;
  readonly #held = new Map<string, number>();
  readonly #root: BytePath;

  constructor(root: BytePath, known: readonly Secret[]) {
    this.#root = root;
    this.#paths = new Map(known.map(({ id, path }) => [id, path]));
  }

  /** Returns the secrets that were found now and those that were moved. `findEverywhere` searches every directory. */
  async update(found: readonly BytePath[], findEverywhere: () => Promise<readonly BytePath[]>): Promise<Secret[]> {
    const now = new Map(found.flatMap(withIdentity));
    for (const [id, fd] of this.#held) this.#follow(id, fd, now);
    for (const [id, path] of this.#paths) if (!now.has(id) && identityAt(path) === id) now.set(id, path);
    const isMissing = [...this.#paths.keys()].some((id) => !now.has(id) && !this.#held.has(id));
    const others = isMissing ? await findEverywhere() : [];
    for (const [id, path] of others.flatMap(withIdentity)) if (!now.has(id)) now.set(id, path);
    this.#paths.clear();
    for (const [id, path] of now) {
      this.#paths.set(id, path);
      this.#hold(id, path);
    }
    return [...now].map(([id, path]) => ({ id, path }));
  }

  /** The view looks the place up again when it is built, so a secret that has moved since does no harm. */
  #follow(id: string, fd: number, now: Map<string, BytePath>): void {
    if (now.has(id)) return;
    const path = pathOf(fd);
    const isGone = path?.endsWith(DELETED) && identityAt(path) !== id;
    if (path?.startsWith(`${this.#root}/`) && !isGone) {
      now.set(id, path);
      return;
    }
    fs.closeSync(fd);
    this.#held.delete(id);
    if (path !== undefined) this.#paths.delete(id); // It is not in the workspace any more.
  }

  #hold(id: string, path: BytePath): void {
    if (process.platform !== 'linux' || this.#held.has(id) || this.#held.size >= MAX_HELD) return;
    try {
      const fd = fs.openSync(toSystemPath(path), O_PATH | fs.constants.O_NOFOLLOW);
      const { dev, ino } = fs.fstatSync(fd, { bigint: true });
      if (`${dev}:${ino}` === id) this.#held.set(id, fd);
      else fs.closeSync(fd);
    } catch {
      // It is gone already.
    }
  }
}

/** Returns the present path of a held file, or undefined if it is too long for the system to say. */
function pathOf(fd: number): BytePath | undefined {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
  } catch {
    return undefined;
  }
}

function withIdentity(path: BytePath): [string, BytePath][] {
  const id = identityAt(path);
  return id === undefined ? [] : [[id, path]];
}
