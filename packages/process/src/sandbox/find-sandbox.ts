import fs from 'node:fs';
import { createStateFiles, isWithin, type StateFiles } from '@jinn/workspace';
import { findBash, findPerl, realPath, startCommand } from '../index.ts';
import type { CommandView, ConfinedCommandLine, Confinement, Sandbox, SandboxName } from './confinement.ts';
import { byteText, type Mount } from './git/index.ts';
import { bubblewrapArguments, findBubblewrap, viewMounts, viewNumbers } from './view/bubblewrap.ts';
import { buildView } from './view/command-view.ts';
import VIEW_SCRIPT from './view/sandbox-view.pl';
import { findSeatbelt, seatbeltArguments } from './view/seatbelt.ts';

type WorkingSandbox = Extract<Sandbox, { works: true }>;

export async function putInFront(
  { name, program }: WorkingSandbox,
  argv: readonly string[],
  confinement: Confinement,
): Promise<ConfinedCommandLine> {
  const { view, watched, warning, check } = await buildView(confinement, name);
  const inside = (word: string) => {
    const folder = view.folders.find(({ path }) => isWithin(word, path));
    return folder === undefined ? word : `${folder.inside}${word.slice(folder.path.length)}`;
  };
  return {
    sandbox: name,
    argv: [...commandLine({ name, program }, view), ...argv.map(inside)],
    view: name === 'bubblewrap' ? describeView(viewMounts(view), view) : [],
    protectedPlaces: view.mounts.map(({ kind, path }) => ({ path: byteText(path), kind })),
    watched,
    warning,
    check,
  };
}

const TRIAL_MS = 10_000;
/** How long the result is kept that no sandbox works: it may have failed by chance, such as for lack of a process. */
const LACK_MS = 10_000;

interface SandboxUse {
  readonly network: boolean;
  readonly keep?: string | undefined;
}

const found = new Map<string, Promise<Sandbox>>();

/** Finds the sandbox of this system, and tries it out once. A working one is recorded in `keep` for later processes. */
export function findSandbox(use: SandboxUse): Promise<Sandbox> {
  const key = keyOf(use);
  const known = found.get(key);
  if (known !== undefined) return known;
  const asked = tryOut(use);
  found.set(key, asked);
  const forget = () => void setTimeout(() => found.delete(key), LACK_MS).unref();
  asked.then(({ works }) => works || forget(), forget);
  return asked;
}

/** Makes the next command try the sandbox out again, because it failed although its trial had succeeded. */
export function forgetSandbox(use: SandboxUse): void {
  found.delete(keyOf(use));
  new TrialRecord(use).write('');
}

function keyOf({ network, keep }: SandboxUse): string {
  return `${network} ${keep}`;
}

async function tryOut(use: SandboxUse): Promise<Sandbox> {
  const name = process.platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap';
  const program = name === 'bubblewrap' ? findBubblewrap() : findSeatbelt();
  const none = (why: string) => ({ name: 'none', works: false, why }) as const;
  if (program === undefined) return none(`${name} is not installed`);
  if (name === 'bubblewrap' && findPerl() === undefined) return none('perl is not installed');
  if (name === 'bubblewrap' && viewNumbers(use.network) === undefined) return none(`not made for ${process.arch}`);
  const sandbox: WorkingSandbox = { name, program, works: true };
  const { argv, view } = trialOf(sandbox, use);
  const record = new TrialRecord(use);
  const identity = identityOf(program, [...argv, ...view]);
  if (identity !== undefined && record.read() === identity) return sandbox;
  const fault = await runTrial(name, argv, view);
  if (fault !== undefined) return none(fault);
  if (identity !== undefined) record.write(identity);
  return sandbox;
}

function trialOf(sandbox: WorkingSandbox, { network }: SandboxUse): Pick<ConfinedCommandLine, 'argv' | 'view'> {
  // Rules of sandbox-exec name real paths, and /etc is a link on macOS.
  const mounts: Mount[] = [{ kind: 'h', path: realPath('/etc/passwd') ?? '/etc/passwd', id: undefined }];
  const rest = { temporary: undefined, replaced: [], settings: undefined, sockets: [], folders: [] };
  const line = commandLine(sandbox, { cwd: '/', writable: [], mounts, network, ...rest });
  return {
    argv: [...line, findBash() ?? '/bin/sh', '-c', trialScript(sandbox.name)],
    view: sandbox.name === 'bubblewrap' ? describeView(mounts, { network }) : [],
  };
}

async function runTrial(name: string, argv: readonly string[], view: readonly string[]): Promise<string | undefined> {
  const said: string[] = [];
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
  return exitCode === 0 ? undefined : said.join('').trim().slice(0, 300) || `${name} failed`;
}

/**
 * Records a trial that succeeded. Security: the record only spares later processes the trial. Their commands still run
 * in the sandbox, or not at all if it cannot be built. Then the record is removed.
 */
class TrialRecord {
  readonly #files: StateFiles;
  readonly #name: string;

  constructor({ network, keep }: SandboxUse) {
    this.#files = createStateFiles(keep);
    this.#name = network ? 'trial.txt' : 'trial-offline.txt';
  }

  read(): string | undefined {
    try {
      return this.#files.read(this.#name)?.toString();
    } catch {
      return undefined;
    }
  }

  write(identity: string): void {
    try {
      this.#files.write(this.#name, identity);
    } catch {
      // There is no directory, or no room: the next process tries the sandbox out itself.
    }
  }
}

/**
 * What the result of a trial depends on: the running system, the user, the program, and the trial itself. Undefined if
 * the system does not say which boot this is.
 */
function identityOf(program: string, trial: readonly string[]): string | undefined {
  const boot = '/proc/sys/kernel/random/boot_id';
  if (!fs.existsSync(boot)) return undefined;
  const { dev, ino, size, mode, uid, mtimeNs, ctimeNs } = fs.statSync(program, { bigint: true });
  const facts = [fs.readFileSync(boot, 'latin1'), process.getuid?.(), process.getgid?.(), ...trial];
  const file = [dev, ino, size, mode, uid, mtimeNs, ctimeNs].map(String);
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256')
    .update(JSON.stringify([facts, file]))
    .digest('hex');
}

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

/** Returns a script that fails, and says why, if a sandbox does not keep it from what it must not be able to do. */
export function trialScript(name: WorkingSandbox['name']): string {
  const lines = Object.entries(ATTEMPTS[name]).map(
    ([what, attempt]) => `{ ${attempt}; } > /dev/null 2>&1 && { echo 'a command can ${what}'; exit 1; }`,
  );
  return [...lines, 'exit 0'].join('\n');
}

function commandLine({ name, program }: { name: SandboxName; program: string }, view: CommandView): string[] {
  return [program, ...(name === 'bubblewrap' ? bubblewrapArguments(view) : seatbeltArguments(view))];
}

function describeView(mounts: readonly Mount[], { network }: Pick<CommandView, 'network'>): string[] {
  const places = mounts.flatMap(({ kind, id = '-', path, target = '' }) => [kind, id, path, target]);
  return [VIEW_SCRIPT, viewNumbers(network) ?? '', ...places];
}
