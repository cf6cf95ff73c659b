import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ToolError } from '@jinn/core/errors';
import { isHiddenName } from '@jinn/workspace/secrets/names';
import { type BytePath, byteText, entriesOf, toSystemPath } from '../git/index.ts';
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

export interface WorkspaceScan {
  /** Secrets by their names: `.env*`, `.ssh`, …; and directories that are too deep to be searched. */
  readonly secrets: BytePath[];
  /** Every entry called `.git`, and directories that are repositories by their content. */
  readonly gits: BytePath[];
}

/** Finds secrets and repositories in a workspace. A listing is valid while its directory keeps its change time. */
export class WorkspaceScanner {
  #known = new Map<string, Listing>();
  readonly #max: number;

  constructor(maxDirectories = MAX_DIRECTORIES) {
    this.#max = maxDirectories;
  }

  /**
   * Searches all directories except repositories and `node_modules`, or with `everywhere` these too. Throws
   * `command_blocked` for too many, since none may stay unprotected, and `timeout` when `signal` ends it.
   */
  async scan(
    root: BytePath,
    { everywhere = false, signal }: { everywhere?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<WorkspaceScan> {
    if (signal?.aborted) throw tooSlow(0);
    const scan: WorkspaceScan = { secrets: [], gits: [] };
    const seen = new Map<string, Listing>();
    const steps = new Steps(root);
    const rest = createRest(() => signal?.aborted && tooSlow(steps.count));
    try {
      for (let place = steps.next(); place; place = steps.next()) {
        if (steps.count > this.#max) {
          throw new ToolError(
            'command_blocked',
            `the sandbox cannot protect a workspace of more than ${this.#max} directories: it could not look for secrets in all of them`,
            { suggestion: 'ask the person to start jinn in a smaller directory' },
          );
        }
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

/** Makes a function that lets the event loop turn when it is time, and then throws the error of `mustEnd`, if any. */
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

function take(
  place: ScanPlace,
  listing: Listing,
  { scan, steps, everywhere }: { scan: WorkspaceScan; steps: Steps; everywhere: boolean },
): void {
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

const MAY_BE_SECRET = /^[.#\x80-\xff]/;
const SKIPPED = new Set(['.git', 'node_modules']);

/** Reads a directory. Returns undefined if jinn cannot list it; a command of the same user cannot list it either. */
function read(directory: string | Buffer, stat: fs.Stats): Listing | undefined {
  const ctimeMs = isSettled(stat) ? stat.ctimeMs : Number.NaN;
  const entries = entriesOf(directory);
  if (!entries) return undefined;
  const secrets = new Set(
    entries.filter(({ name }) => MAY_BE_SECRET.test(name) && isHiddenName(byteText(name))).map(({ name }) => name),
  );
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
