import { type SandboxPolicy, ToolError } from '@jinn/core';
import { bubblewrapArguments, findBubblewrap } from './bubblewrap.ts';
import { gitPlaces } from './git-places.ts';
import { realPath } from './real-path.ts';
import { secretPlaces, writablePlaces } from './sandbox-places.ts';
import { findSeatbelt, seatbeltArguments } from './seatbelt.ts';
import { SecretFinder } from './secret-finder.ts';
import { findBash, startCommand } from './start-command.ts';

export type SandboxName = 'none' | 'bubblewrap' | 'sandbox-exec';

/** What a command sees of the machine. All paths are absolute and real. */
export interface Box {
  readonly cwd: string;
  /** The workspace among them; what holds another comes before it. */
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
  readonly network: boolean;
}

/** A program that confines another, as found on this machine; `why` says why there is none. */
export type Sandbox =
  | { readonly name: 'bubblewrap' | 'sandbox-exec'; readonly program: string; readonly works: true }
  | { readonly name: 'none'; readonly works: false; readonly why: string };

export interface Confinement {
  /** The workspace and the directory to start in, by their real paths. */
  readonly root: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SandboxPolicy;
  readonly network: boolean;
}

/**
 * Puts the sandbox of the system in front of a command, as the policy says (docs/shell.md, "Sandbox"). Throws
 * `command_blocked` when one is required, or the network is to be left out, and there is none that works.
 */
export async function confine(
  argv: readonly string[],
  confinement: Confinement,
): Promise<{ sandbox: SandboxName; argv: readonly string[] }> {
  const { policy, network } = confinement;
  if (policy.mode === 'off') {
    if (!network) throw refusal('running without the network needs the sandbox, which is off', 'auto');
    return { sandbox: 'none', argv };
  }
  const sandbox = await findSandbox({ network });
  if (sandbox.works) return { sandbox: sandbox.name, argv: [...commandLine(sandbox, toBox(confinement)), ...argv] };
  if (policy.mode === 'require') throw refusal(`no sandbox works here: ${sandbox.why}`, 'off');
  if (!network)
    throw refusal(`running without the network needs a sandbox, and none works here: ${sandbox.why}`, 'off');
  return { sandbox: 'none', argv };
}

const found = new Map<boolean, Promise<Sandbox>>();

/** Finds the sandbox of this system and runs it once to see that it works; the answer is kept. */
export function findSandbox({ network }: { network: boolean }): Promise<Sandbox> {
  const known = found.get(network);
  if (known !== undefined) return known;
  const asked = tryOut(network);
  found.set(network, asked);
  return asked;
}

async function tryOut(network: boolean): Promise<Sandbox> {
  const name = process.platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap';
  const program = name === 'bubblewrap' ? findBubblewrap() : findSeatbelt();
  if (program === undefined) return { name: 'none', works: false, why: `${name} is not installed` };
  const sandbox = { name, program, works: true } as const;
  const box: Box = { cwd: '/', writable: ['/tmp'], readOnly: [], hidden: [], network };
  const argv = [...commandLine(sandbox, box), findBash() ?? '/bin/sh', '-c', TRIAL];
  const said: string[] = [];
  const { ended } = startCommand({ argv, cwd: '/', environment: {}, stdin: undefined }, (_, chunk) => {
    said.push(chunk.toString());
  });
  const { exitCode } = await ended;
  if (exitCode === 0) return sandbox;
  return { name: 'none', works: false, why: said.join('').trim().slice(0, 300) || `${name} does not confine` };
}

/** Fails where a command could still write what it may not, and, on Linux, see the processes outside. */
const TRIAL = `[ ! -w /usr ] && { [ ! -e /proc/self ] || [ $$ -lt 16 ]; }`;

function commandLine({ name, program }: { name: SandboxName; program: string }, box: Box): string[] {
  return [program, ...(name === 'bubblewrap' ? bubblewrapArguments(box) : seatbeltArguments(box))];
}

const finder = new SecretFinder();

function toBox({ root, cwd, environment, policy, network }: Confinement): Box {
  const { secrets, gits } = finder.find(root);
  const repositories = gits.map(gitPlaces);
  const inside = secrets.map(realPath).filter((path) => path !== undefined);
  const secret = [...inside, ...secretPlaces(policy)].filter((place) => !isWithin(root, place));
  const hidden = outermost(secret);
  const isShown = (path: string) => !hidden.some((place) => isWithin(path, place));
  const places = outermost([root, ...writablePlaces(policy, environment)]);
  // A place of its own is what cannot be moved away, so a repository has one, wherever it lies.
  const writable = [...new Set([...places, ...repositories.flatMap((git) => git.writable)])];
  return {
    cwd,
    writable: writable.filter(isShown).sort((a, b) => a.length - b.length),
    readOnly: repositories.flatMap((git) => git.readOnly).filter(isShown),
    hidden,
    network,
  };
}

/** Leaves out what lies within another. */
function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort()) if (!kept.some((place) => isWithin(path, place))) kept.push(path);
  return kept;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

function refusal(message: string, otherMode: string): ToolError {
  return new ToolError('command_blocked', message, {
    suggestion: `ask the user: jinn --doctor says what is missing; with --sandbox=${otherMode} it runs otherwise`,
  });
}
