import type { Machine } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { OpenMachine } from '@jinn/toolsets/machine';
import { isWithin } from '@jinn/workspace';
import { hasSensitiveSegment } from '@jinn/workspace/secrets/names';

const MAX_NAMED = 20;
const MAX_OPEN = 64;
const MAX_OWN = 1_000;

export interface RootOptions {
  readonly allowed: readonly string[];
  readonly worktrees: boolean;
  /** Returns the workspace of a user, if each has one: it replaces the allowed roots. */
  readonly rootOf?: ((person: string) => Promise<string>) | undefined;
  realDirectory(path: string): string | undefined;
  open(directory: string): OpenMachine;
}

export interface Roots extends Pick<RootOptions, 'allowed' | 'worktrees' | 'rootOf'> {
  readonly machine: Machine;
  /** Returns the machine of the user's calls in a directory that `choose` returned, or in the default root. */
  machineOf(directory: string | undefined, person: string): Machine;
  /** Returns the root that a call names, or the default. Rejects with `path_outside_sandbox` for any other directory. */
  choose(asked: string | undefined, ofClient: readonly string[] | undefined, person: string): Promise<string>;
}

/** Opens the default root. Throws what opening it throws. */
export function openRoots(options: RootOptions): Roots {
  const { allowed: shared, worktrees, rootOf } = options;
  const machines = new Map<string, OpenMachine>();
  const machineAt = (directory: string): OpenMachine => {
    const known = machines.get(directory);
    if (known) return known;
    const most = rootOf ? MAX_OWN : MAX_OPEN;
    if (machines.size >= most) {
      const suggestion = 'use one of the roots that were used before';
      throw new ToolError('resource_limit', `more than ${most} roots are open`, { suggestion });
    }
    const machine = options.open(directory);
    machines.set(directory, machine);
    return machine;
  };
  const [first = '.'] = shared;
  return {
    allowed: shared,
    rootOf,
    worktrees,
    machine: machineAt(first),
    machineOf: (directory = first, person) => machineAt(directory).ofPerson(person),
    choose: async (asked, ofClient, person) => {
      const allowed = rootOf ? [await rootOf(person)] : shared;
      const roots = ofClient === undefined ? allowed : narrow({ ...options, allowed }, ofClient);
      if (asked === undefined) return roots[0] ?? allowed[0] ?? first;
      const candidates = [...new Set([...roots, ...allowed])];
      const found = find(asked, candidates, options);
      if (found !== undefined) return found;
      const { listWorktrees } = await import('@jinn/workspace/walk');
      const linked = worktrees ? find(asked, candidates.flatMap(listWorktrees), options) : undefined;
      if (linked === undefined) throw unknownRoot(asked, candidates);
      return linked;
    },
  };
}

function find(asked: string, roots: readonly string[], { realDirectory }: RootOptions): string | undefined {
  const path = asked.startsWith('/') ? realDirectory(asked) : undefined;
  if (path !== undefined) return roots.includes(path) ? path : undefined;
  const named = endingWith(asked, roots);
  return asked !== '' && named.length === 1 ? named[0] : undefined;
}

function endingWith(end: string, roots: readonly string[]): readonly string[] {
  return roots.filter((root) => root.endsWith(`/${end}`));
}

// The shortest name by which a call can choose a root, so that it shows little of the host's directories.
function nameOf(root: string, roots: readonly string[]): string {
  const segments = root.split('/').filter(Boolean);
  for (let count = 1; count <= segments.length; count++) {
    const end = segments.slice(-count).join('/');
    if (endingWith(end, roots).length === 1) return end;
  }
  return root;
}

// One directory below an allowed one that the client has open replaces it. Several do not, and an allowed one with nothing open is
// omitted. Nothing that the client says makes them wider.
function narrow({ allowed, realDirectory }: RootOptions, ofClient: readonly string[]): readonly string[] {
  const opened = ofClient.flatMap((directory) => realDirectory(directory) ?? []);
  return allowed.flatMap((root) => {
    if (opened.some((directory) => isWithin(root, directory))) return [root];
    const inside = opened.filter(
      (directory) => isWithin(directory, root) && !hasSensitiveSegment(directory.slice(root.length + 1)),
    );
    if (inside.length === 0) return [];
    return inside.length === 1 ? inside : [root];
  });
}

function unknownRoot(asked: string, roots: readonly string[]): ToolError {
  const names = roots.map((root) => nameOf(root, roots));
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return new ToolError('path_outside_sandbox', `blocked: ${asked.slice(0, 200)} is not a root of this server`, {
    suggestion: `the roots are ${names.slice(0, MAX_NAMED).join(', ')}${more}`,
  });
}
