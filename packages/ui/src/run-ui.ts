import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { wantsColor } from '@jinn/views/terminal/wants-color';
import { withOwnPath } from '@jinn/workspace';
import { followJournal } from './journal/read-journal.ts';
import { journalDirectory } from './journal/write-journal.ts';
import { createLiveCalls } from './server/live-calls.ts';
import { askRunningPage, markLive, openDirectory, socketPath } from './server/live-mark.ts';
import { createPageEvents } from './server/page-events.ts';
import { createRoutes } from './server/page-routes.ts';
import { servePage } from './server/page-server.ts';
import { openQuestions } from './server/question-socket.ts';
import { createDeathWatch } from './server/watch-deaths.ts';
import { tailCalls } from './tail-calls.ts';
import { openWorkspaceState, type WorkspaceState, type WorkspaceStateOptions } from './workspace/workspace-state.ts';

/** How long the file lives: the code in the address expires then. */
const FILE_MS = 60_000;

/** How long the server runs while no one has the page open. */
const IDLE_MS = 30 * 60 * 1000;
const CHECK_MS = 10_000;
const BELL = '\u0007';
/** The width of lines that go into a file. */
const DEFAULT_WIDTH = 100;

const USAGE = `usage: jinn ui [--no-open | --tail]

Open a page on this machine that shows what agents do with jinn: each call with its arguments and result, and the changes
of files, which you can undo. Calls that need your approval ask there. The page also shows memory, custom tools and saved
approvals. Calls are recorded while it runs, without secrets, and kept for a week. It stops at Ctrl-C, and half an hour
after the last tab was closed.

  --no-open  Print only the address. Needs no terminal
  --tail     Print each call in the terminal instead

See docs/ui.md.
`;

export interface UiOptions
  extends Pick<WorkspaceStateOptions, 'root' | 'home' | 'directories' | 'environment' | 'version'> {
  /** True if standard input is a terminal. */
  readonly isAtTerminal: boolean;
  /** The columns of the terminal that standard output is, or undefined if it is not a terminal. */
  readonly columns: number | undefined;
  write(text: string): void;
}

/** Runs `jinn ui` until it is stopped, and returns the exit status. Throws ToolError. */
export async function runUi(argv: readonly string[], options: UiOptions): Promise<number> {
  const { write, isAtTerminal, columns, directories } = options;
  const [flag, ...more] = argv;
  if (flag === '--help' || flag === '-h') {
    write(USAGE);
    return 0;
  }
  if (more.length > 0 || (flag !== undefined && flag !== '--no-open' && flag !== '--tail'))
    throw new ToolError('invalid_args', `unknown flag ${flag}`, { suggestion: 'try jinn ui --help' });
  // Security: an agent must not get the page, where it could answer its own questions, nor what other agents do.
  if (flag !== '--no-open' && (!isAtTerminal || (columns === undefined && flag !== '--tail')))
    throw new ToolError('permission_denied', 'jinn ui needs a terminal', { suggestion: 'ask the user to run it' });
  if (directories.cache === undefined)
    throw new ToolError('write_failed', 'there is no directory for the journal', { suggestion: 'set HOME' });
  const directory = journalDirectory(directories.cache);
  openDirectory(directory);
  if (flag === '--tail') await tailUntilStopped(directory, options);
  else await openPage(directory, flag === undefined, options);
  return 0;
}

async function tailUntilStopped(directory: string, { columns, environment, write }: UiOptions): Promise<void> {
  const screen = { width: columns ?? DEFAULT_WIDTH, color: wantsColor(environment, columns !== undefined) };
  const stopped = untilStopped(() => false);
  const stopMark = markLive(directory, { yields: true });
  // The process exits at once when no one reads its output any more.
  process.once('exit', stopMark);
  if (columns !== undefined) write('jinn ui prints calls until Ctrl-C\n');
  const stopPrinting = tailCalls(directory, screen, write);
  try {
    await stopped;
  } finally {
    stopPrinting();
    stopMark();
  }
}

async function openPage(directory: string, opensBrowser: boolean, options: UiOptions): Promise<void> {
  const { write, environment, root } = options;
  const present = (address: string, sentence: string) => {
    write(
      opensBrowser ? `${sentence} Open this address within ten minutes (it works once):\n${address}\n` : `${address}\n`,
    );
    return opensBrowser ? openBrowser(directory, address, withOwnPath(environment, root)) : () => {};
  };
  const running = await askRunningPage(directory);
  if (running === undefined) return serveUntilStopped(directory, present, options);
  present(running, 'jinn ui is already running.');
}

async function serveUntilStopped(
  directory: string,
  present: (address: string, sentence: string) => () => void,
  options: UiOptions,
) {
  const { root, write, columns } = options;
  const setTitle = (count: number) => columns !== undefined && write(titleFor(count));
  const events = createPageEvents();
  const path = socketPath(directory);
  const live = createLiveCalls(events);
  const questions = openQuestions({
    path,
    events,
    live,
    address: () => addressOf(),
    onChange: ({ length }, isNew) => {
      setTitle(length);
      if (isNew && columns !== undefined) write(BELL);
    },
  });
  const routes = createRoutes({ directory, root, events, questions, live, openWorkspace: keepOpen(options) });
  const server = await servePage(routes);
  const addressOf = () => `${server.address}#${server.access.makeCode()}`;
  // From here on, a signal also removes the mark and the socket.
  const stopped = untilStopped(() => Date.now() - events.lastSeen() > IDLE_MS);
  const stopMark = markLive(directory, { socket: path });
  const deaths = createDeathWatch(directory, (pid) => events.send({ type: 'gone', pid }));
  const stopFollowing = followJournal(directory, (row) => {
    deaths.hear(row);
    events.send({ type: 'call', row: { ...row, isAlive: row.code !== 'died' } });
  });
  const removeFile = present(addressOf(), 'jinn ui runs until Ctrl-C.');
  if (path === undefined)
    process.stderr.write('calls cannot ask here: the path of the cache directory is too long for a socket\n');
  try {
    await stopped;
  } finally {
    for (const stop of [stopMark, stopFollowing, deaths.stop, removeFile, questions.close, events.close, server.close])
      stop();
    // A terminal that was closed takes nothing more.
    setTitle(0);
  }
}

function keepOpen({ home, directories, environment, version }: UiOptions): (root: string) => WorkspaceState {
  const open = new Map<string, WorkspaceState>();
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  return (root) => {
    const known = open.get(root) ?? openWorkspaceState({ root, home, directories, environment, version, log });
    open.set(root, known);
    return known;
  };
}

function titleFor(count: number): string {
  const waiting = count === 0 ? '' : `${count === 1 ? '1 call waits' : `${count} calls wait`} for you: `;
  return `\u001b]0;${waiting}jinn ui${BELL}`;
}

function untilStopped(isIdle: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = setInterval(() => isIdle() && resolve(), CHECK_MS);
    check.unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/**
 * Opens an address in the browser. Security: everybody on the machine sees the arguments of programs, so the browser
 * gets the name of a file that points to the address and that only the user can read. Returns a function that removes
 * the file.
 */
function openBrowser(directory: string, address: string, env: NodeJS.ProcessEnv): () => void {
  const file = `${directory}/open.html`;
  const remove = () => fs.rmSync(file, { force: true });
  remove();
  fs.writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, {
    mode: 0o600,
    flag: 'wx',
  });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without such a program, the user opens the printed address.
  spawn(program, [file], { stdio: 'ignore', detached: true, env })
    .on('error', () => undefined)
    .unref();
  setTimeout(remove, FILE_MS).unref();
  return remove;
}
