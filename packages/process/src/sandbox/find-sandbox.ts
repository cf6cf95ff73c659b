import { findBash, findPerl, realPath, startCommand } from '../index.ts';
import type { ConfinedCommandLine, Confinement, SandboxName } from './confine.ts';
import { type Mount, toText } from './git/index.ts';
import { bubblewrapArguments, findBubblewrap, viewMounts, viewNumbers } from './view/bubblewrap.ts';
import { type Box, buildBox } from './view/build-box.ts';
import VIEW_SCRIPT from './view/sandbox-view.pl';
import { findSeatbelt, seatbeltArguments } from './view/seatbelt.ts';
import { isWithin } from './view/within.ts';

const makeFile = (place: string) => `f=$(mktemp ${place}/jinn-XXXXXX) && rm -f "$f"`;
const READ_HIDDEN = { 'read a hidden file': 'true < /etc/passwd' };

/** What a command in a sandbox must not be able to do, each with an attempt at it in the shell. */
const ATTEMPTS = {
  bubblewrap: { 'write to /usr': '[ -w /usr ]', ...READ_HIDDEN, 'see other processes': '[ $$ -ge 16 ]' },
  'sandbox-exec': {
    'write to /usr': makeFile('/usr'),
    'write to /tmp': makeFile('/tmp'), // The system itself may close /usr.
    ...READ_HIDDEN,
    'see other processes': 'ps -p $PPID',
  },
};

/** A program that confines another, as found on this machine; if there is none, `why` is the reason. */
export type Sandbox =
  | { readonly name: 'bubblewrap' | 'sandbox-exec'; readonly program: string; readonly works: true }
  | { readonly name: 'none'; readonly works: false; readonly why: string };

/** Puts a sandbox in front of a command line. */
export async function putInFront(
  { name, program }: Extract<Sandbox, { works: true }>,
  argv: readonly string[],
  confinement: Confinement,
): Promise<ConfinedCommandLine> {
  const { box, watched, warning, check } = await buildBox(confinement, name);
  return {
    sandbox: name,
    argv: [...commandLine({ name, program }, box), ...argv.map((word) => inside(word, box))],
    view: name === 'bubblewrap' ? toView(viewMounts(box)) : [],
    protectedPlaces: box.mounts.map(({ kind, path }) => ({ path: toText(path), kind })),
    watched,
    warning,
    check,
  };
}

function inside(word: string, { folders }: Box): string {
  const folder = folders.find(({ path }) => isWithin(word, path));
  return folder === undefined ? word : `${folder.inside}${word.slice(folder.path.length)}`;
}

const found = new Map<boolean, Promise<Sandbox>>();

/** How long the trial may take. */
const TRIAL_MS = 10_000;
/** How long the result is kept that no sandbox works: it may have failed by chance, such as for lack of a process. */
const LACK_MS = 10_000;

/** Finds the sandbox of this system and runs it once to see that it works; a working one is kept. */
export function findSandbox({ network }: { network: boolean }): Promise<Sandbox> {
  const known = found.get(network);
  if (known !== undefined) return known;
  const asked = tryOut(network);
  found.set(network, asked);
  const forget = () => void setTimeout(() => found.delete(network), LACK_MS).unref();
  asked.then(({ works }) => works || forget(), forget);
  return asked;
}

async function tryOut(network: boolean): Promise<Sandbox> {
  const name = process.platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap';
  const program = name === 'bubblewrap' ? findBubblewrap() : findSeatbelt();
  const none = (why: string) => ({ name: 'none', works: false, why }) as const;
  if (program === undefined) return none(`${name} is not installed`);
  if (name === 'bubblewrap' && findPerl() === undefined) return none('perl is not installed');
  if (name === 'bubblewrap' && viewNumbers() === undefined) return none(`not made for ${process.arch}`);
  const sandbox = { name, program, works: true } as const;
  // Rules of sandbox-exec name real paths, and /etc is a link on macOS.
  const mounts: Mount[] = [{ kind: 'h', path: realPath('/etc/passwd') ?? '/etc/passwd', id: undefined }];
  const rest = { temporary: undefined, replaced: [], settings: undefined, sockets: [], folders: [] };
  const box: Box = { cwd: '/', writable: [], mounts, network, ...rest };
  const argv = [...commandLine(sandbox, box), findBash() ?? '/bin/sh', '-c', trialOf(name)];
  const said: string[] = [];
  const view = name === 'bubblewrap' ? toView(mounts) : [];
  const { ended, stop } = startCommand({ argv, cwd: '/', environment: {}, stdin: undefined, view }, (_, chunk) => {
    said.push(chunk.toString());
  });
  const timer = setTimeout(() => {
    said.push(`${name} did not end within ${TRIAL_MS / 1000} seconds`);
    stop();
  }, TRIAL_MS);
  const exitCode = await ended.then(
    (end) => end.exitCode,
    (error: unknown) => said.push((error as Error).message),
  );
  clearTimeout(timer);
  return exitCode === 0 ? sandbox : none(said.join('').trim().slice(0, 300) || `${name} failed`);
}

function commandLine({ name, program }: { name: SandboxName; program: string }, box: Box): string[] {
  return [program, ...(name === 'bubblewrap' ? bubblewrapArguments(box) : seatbeltArguments(box))];
}

function toView(mounts: readonly Mount[]): string[] {
  const places = mounts.flatMap(({ kind, id = '-', path, target = '' }) => [kind, id, path, target]);
  return [VIEW_SCRIPT, viewNumbers() ?? '', ...places];
}

/** Returns a script that fails, and says why, if a sandbox does not keep it from what it must not be able to do. */
export function trialOf(name: Exclude<SandboxName, 'none'>): string {
  const lines = Object.entries(ATTEMPTS[name]).map(
    ([what, attempt]) => `{ ${attempt}; } > /dev/null 2>&1 && { echo 'a command can ${what}'; exit 1; }`,
  );
  return [...lines, 'exit 0'].join('\n');
}
