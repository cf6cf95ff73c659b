import fs from 'node:fs';
import { type BytePath, toSystemPath } from '@jinn/git';

/** Systems take no path of 4,096 bytes and more. What is deeper is reached from a directory that is held on the way. */
const MAX_REACH = 3_500;
/** What lies deeper than this is not looked into. */
const MAX_PATH_BYTES = 16 * 1024;
const O_PATH = 0o10000000;

/** A directory on the way that is held, for as long as something below it is to be looked at. */
interface Anchor {
  readonly fd: number;
  readonly above: Anchor | undefined;
  /** From the anchor above, or the whole. */
  readonly from: BytePath;
  users: number;
}

/** A directory that is to be looked at. */
export interface ScanPlace {
  readonly name: BytePath;
  /** A path that the system takes. */
  readonly reachable: BytePath;
  /** Returns the whole path. */
  path(): BytePath;
}

class Place implements ScanPlace {
  readonly anchor: Anchor | undefined;
  /** From the anchor, or the whole path. */
  readonly from: BytePath;
  readonly name: BytePath;
  /** The bytes of the whole path. */
  readonly length: number;

  constructor(anchor: Anchor | undefined, from: BytePath, name: BytePath, length: number) {
    this.anchor = anchor;
    this.from = from;
    this.name = name;
    this.length = length;
    if (anchor) anchor.users++;
  }

  get reachable(): BytePath {
    return this.anchor ? `/proc/self/fd/${this.anchor.fd}/${this.from}` : this.from;
  }

  path(): BytePath {
    const parts = [this.from];
    for (let at = this.anchor; at; at = at.above) parts.unshift(at.from);
    return parts.join('/');
  }
}

/** The directories that are still to be looked at, of any depth up to 16 KiB of path. */
export class Steps {
  /** How many were taken. */
  count = 0;
  readonly #todo: Place[];
  #taken: Place | undefined;
  /** Holds the one that was taken, once something far below it is added. */
  #anchor: Anchor | undefined;

  constructor(root: BytePath) {
    this.#todo = [new Place(undefined, root, '', root.length)];
  }

  /** Takes the next one. The one that was taken before may not be used after that. */
  next(): ScanPlace | undefined {
    if (this.#taken) release(this.#taken.anchor);
    this.#taken = this.#todo.pop();
    this.#anchor = undefined;
    if (this.#taken) this.count++;
    return this.#taken;
  }

  /** Adds a directory in the one that was taken last. Returns false if it is too deep. */
  add(name: BytePath): boolean {
    const above = this.#taken as Place;
    const length = above.length + 1 + name.length;
    if (length > MAX_PATH_BYTES) return false;
    const isFar = above.from.length + 1 + name.length > MAX_REACH;
    if (isFar) this.#anchor ??= hold(above);
    const anchor = isFar ? this.#anchor : above.anchor;
    if (isFar && !anchor) return true; // It is gone.
    this.#todo.push(new Place(anchor, isFar ? name : `${above.from}/${name}`, name, length));
    return true;
  }

  /** Lets go of what is held. */
  close(): void {
    for (const place of [this.#taken, ...this.#todo]) release(place?.anchor);
    this.#taken = undefined;
    this.#todo.length = 0;
  }
}

function hold(place: Place): Anchor | undefined {
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
