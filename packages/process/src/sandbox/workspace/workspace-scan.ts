import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ToolError } from '@jinn/core/errors';
import { isHiddenName } from '@jinn/workspace/secrets/names';
import { type BytePath, toSystemPath, toText } from '../git/index.ts';
import { isSettled } from '../is-settled.ts';
import { type ScanPlace, Steps } from './scan-places.ts';

const MAX_DIRECTORIES = 1_000_000;
/** How long the event loop waits at most, since deadlines and other calls need it. */
const TURN_MS = 20;
const LOOK_AT_CLOCK = 64;

interface Listing {
  /** When the directory changed; not a number if a later change may keep that time. */
  readonly ctimeMs: number;
  readonly secrets: readonly BytePath[];
  readonly hasGit: boolean;
  /** True if git would use the directory itself as a repository, unless its name is `.git`. */
  readonly isBare: boolean;
  readonly directories: readonly BytePath[];
}

export interface Scan {
  /** Secrets by their names: `.env*`, `.ssh`, …; and directories that are too deep to be searched. */
  readonly secrets: BytePath[];
  /** Every entry called `.git`, and directories that are repositories by their content. */
  readonly gits: BytePath[];
}

interface ScanOptions {
  /** True to search `node_modules` and bare repositories too. */
  readonly everywhere?: boolean;
  /** Ends the scan, with an error. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds secrets and repositories in a workspace. A listing stays valid while the change time of its directory stays the
 * same.
 */
export class WorkspaceScanner {
  #known = new Map<string, Listing>();
  readonly #max: number;

  constructor(maxDirectories = MAX_DIRECTORIES) {
    this.#max = maxDirectories;
  }

  /**
   * Searches all directories except repositories and `node_modules`. Throws `command_blocked` if there are too many,
   * since a directory that was not searched must not stay unprotected; and `timeout` when it is ended before.
   */
  async scan(root: BytePath, { everywhere = false, signal }: ScanOptions = {}): Promise<Scan> {
    if (signal?.aborted) throw tooSlow(0);
    const scan: Scan = { secrets: [], gits: [] };
    const seen = new Map<string, Listing>();
    const steps = new Steps(root);
    const rest = createRest(() => signal?.aborted && tooSlow(steps.count));
    try {
      for (let place = steps.next(); place; place = steps.next()) {
        if (steps.count > this.#max) throw tooManyDirectories(this.#max);
        if (steps.count % LOOK_AT_CLOCK === 0) await rest();
        const listing = this.#list(place, seen);
        if (listing) take(place, listing, { scan, steps, everywhere });
      }
    } finally {
      steps.close();
    }
    this.#known = seen;
    return scan;
  }

  #list(place: ScanPlace, seen: Map<string, Listing>): Listing | undefined {
    const path = toSystemPath(place.reachable);
    const stat = statOf(path);
    if (!stat?.isDirectory()) return undefined;
    const id = `${stat.dev}:${stat.ino}`;
    const known = this.#known.get(id);
    const listing = known?.ctimeMs === stat.ctimeMs ? known : read(path, stat);
    if (!listing) return undefined;
    seen.set(id, listing);
    this.#known.set(id, listing); // Should this scan be ended, the next one gets further.
    return listing;
  }
}

/**
 * Makes a function that lets the event loop turn when it is time, and throws the error of `mustEnd` if there is one then.
 */
export function createRest(mustEnd: () => Error | false | undefined = () => false): () => Promise<void> {
  let turned = performance.now();
  return async () => {
    if (performance.now() - turned < TURN_MS) return;
    await setImmediate();
    turned = performance.now();
    const error = mustEnd();
    if (error) throw error;
  };
}

interface ScanState {
  readonly scan: Scan;
  readonly steps: Steps;
  readonly everywhere: boolean;
}

/** Notes the relevant entries of a directory, and those that must be searched. */
function take(place: ScanPlace, listing: Listing, { scan, steps, everywhere }: ScanState): void {
  const isBare = listing.isBare && place.name !== '.git';
  for (const name of listing.secrets) scan.secrets.push(`${place.path()}/${name}`);
  if (listing.hasGit) scan.gits.push(`${place.path()}/.git`);
  if (isBare) scan.gits.push(place.path());
  if (isBare && !everywhere) return;
  for (const name of listing.directories) {
    if (!everywhere && SKIPPED.has(name)) continue;
    if (!steps.add(name)) scan.secrets.push(`${place.path()}/${name}`);
  }
}

const SKIPPED = new Set(['.git', 'node_modules']);

/** Reads a directory. Returns undefined if jinn cannot list it; a command of the same user cannot list it either. */
function read(directory: string | Buffer, stat: fs.Stats): Listing | undefined {
  const ctimeMs = isSettled(stat) ? stat.ctimeMs : Number.NaN;
  const entries = list(directory);
  if (!entries) return undefined;
  const secrets = new Set(entries.filter(({ name }) => isSecret(name)).map(({ name }) => name));
  const names = new Set(entries.map(({ name }) => name));
  const directories = entries.filter((entry) => entry.isDirectory() && !secrets.has(entry.name));
  return {
    ctimeMs,
    secrets: [...secrets],
    hasGit: names.has('.git'),
    isBare: ['HEAD', 'objects', 'refs'].every((name) => names.has(name)),
    directories: directories.map(({ name }) => name),
  };
}

function statOf(path: string | Buffer): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A directory above is closed to us, and so to commands.
  }
}

function list(directory: string | Buffer): fs.Dirent[] | undefined {
  try {
    return fs.readdirSync(directory as string, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
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

function tooSlow(count: number): ToolError {
  return new ToolError(
    'timeout',
    `the command did not run: its time was over while the sandbox looked for secrets and repositories in the workspace (${count} directories so far)`,
    {
      suggestion:
        'send it again in this session, which knows what was looked at, or with a longer timeout; or ask the person to start jinn in a smaller directory',
    },
  );
}
