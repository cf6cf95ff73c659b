import fs from 'node:fs';
import { type BytePath, toSystemPath } from '../git/index.ts';

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
export class Steps {
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
