import fs from 'node:fs';
import { beginWork, type Registry, writeFully } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { toVisibleLines } from '@jinn/core/text';
import { type Engine, openEngine, toSchemaFormat } from '@jinn/toolsets';
import { type MachineOptions, type OpenMachine, openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import { type Directories, findDirectories } from '@jinn/workspace';
import packageJson from '../package.json' with { type: 'json' };
import type { Family } from './commands.ts';
import { type Invocation, NO_FLAGS } from './invocation.ts';
import { type AnswerLines, serve, type Wire } from './serve.ts';

const VERSION = packageJson.version;

const DEFAULT_COLUMNS = 80;

/** Held lines are written at this length, so that they take little memory. */
const MAX_HELD_LENGTH = 65_536;
/** Held lines are written at this age, so that a long call keeps no answer before it from a reader. */
const MAX_HELD_MS = 5;

type ServeInvocation = Extract<Invocation, { do: 'serve' }>;
type ServedTools = Pick<ServeInvocation, 'served' | 'dangerous'> & Partial<Pick<ServeInvocation, 'visualize'>>;

async function main(): Promise<number> {
  if (process.platform === 'win32') {
    throw new UsageError('jinn runs on Linux and macOS. On Windows, run it in WSL');
  }
  const [, , family] = process.argv;
  if (family === 'tools' || family === 'lsp' || family === 'grants' || family === 'undo')
    return runCommandsOf(family, process.argv.slice(3));
  if (family === 'ui') return showPage(process.argv.slice(3));
  if (family === 'completion') {
    write(await readCompletion());
    return 0;
  }
  const invocation = await readCommandLine();
  if (invocation.do === 'print') {
    write(invocation.text);
    return 0;
  }
  if (invocation.do === 'protocol') {
    const { protocolSchema } = await import('./protocol-schema.ts');
    write(`${JSON.stringify(protocolSchema())}\n`);
    return 0;
  }
  if (invocation.do === 'doctor') {
    const { examine } = await import('./doctor.ts');
    const machine = open(invocation);
    write(await examine({ version: VERSION, directories: directories(), cwd: workingDirectory(), machine }));
    return 0;
  }
  if (invocation.do === 'serve' && isTerminal(0)) {
    write((await import('./parse-flags.ts')).jinnUsage());
    return 0;
  }
  const machine = open(invocation.do === 'serve' ? { history: invocation.history, sandbox: invocation.sandbox } : {});
  const engine = await openTools(machine, invocation);
  if (invocation.do === 'schema') {
    const { format, strict } = invocation;
    const tools = await engine.describe();
    write(`${JSON.stringify(tools.map((tool) => toSchemaFormat(tool, format, { strict })))}\n`);
    return 0;
  }
  const lines = createAnswerLines(write);
  const approvals = invocation.asks
    ? (await import('./pipe-approvals.ts')).createPipeApprovals(lines.write)
    : undefined;
  const { meta, progress } = invocation;
  beginWork();
  const isOk = await serve({ ...standardInput, ...lines }, engine, { approvals, meta, progress });
  await engine.close();
  return isOk ? 0 : 1;
}

async function openTools(
  machine: OpenMachine,
  { served, dangerous, visualize: showsVisualizations }: ServedTools,
): Promise<Engine> {
  const client = process.env['JINN_CLIENT'];
  const wrap = (call: Registry['call']) => recordCalls(call, { directories: directories(), program: 'jinn' });
  const engine = openEngine(machine, { version: VERSION, served, dangerous, client, showsVisualizations, wrap });
  await engine.ready;
  return engine;
}

function open({ history = true, sandbox = {} }: Pick<MachineOptions, 'history' | 'sandbox'>): OpenMachine {
  return openMachine({
    root: workingDirectory(),
    home: home(),
    directories: directories(),
    environment: process.env,
    history,
    sandbox,
    log: (line) => void process.stderr.write(`${toVisibleLines(line)}\n`),
  });
}

function home(): string | undefined {
  return process.env['HOME'] || homeOfUser();
}

function directories(): Directories {
  return findDirectories(process.env, home());
}

async function runCommandsOf(family: Family, argv: readonly string[]): Promise<number> {
  const { runCommands } = await import('./commands.ts');
  const columns = columnsOf();
  return runCommands(family, argv, {
    root: workingDirectory(),
    home: home(),
    directories: directories(),
    environment: process.env,
    version: VERSION,
    write,
    readInput: () => fs.readFileSync(0, 'utf8'),
    columns,
    canAsk: columns !== undefined && isTerminal(0),
  });
}

async function showPage(argv: readonly string[]): Promise<number> {
  const { runUi } = await import('@jinn/ui/run-ui');
  return runUi(argv, {
    root: workingDirectory(),
    home: home(),
    directories: directories(),
    environment: process.env,
    version: VERSION,
    isAtTerminal: isTerminal(0),
    columns: columnsOf(),
    write,
  });
}

class UsageError extends Error {}

/** Parses the command line. A process without flags does not load what parses them. */
async function readCommandLine(): Promise<Invocation> {
  const flags = process.argv.slice(2);
  if (flags.length === 0) return NO_FLAGS;
  try {
    return (await import('./parse-flags.ts')).parseJinnFlags(flags, VERSION);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\ntry jinn --help`);
  }
}

async function readCompletion(): Promise<string> {
  const [{ completionScript }, { JINN_SPEC }] = await Promise.all([
    import('@jinn/core/command-line/completion'),
    import('./jinn-spec.ts'),
  ]);
  try {
    return completionScript(process.argv[3] ?? '', 'jinn', JINN_SPEC);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function createAnswerLines(write: (text: string) => void): AnswerLines {
  let isHeld = false;
  let held = '';
  let oldest = 0;
  const flush = () => {
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  return {
    write: (line) => {
      if (held === '') oldest = Date.now();
      held += line;
      if (!isHeld || held.length > MAX_HELD_LENGTH || Date.now() - oldest > MAX_HELD_MS) flush();
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      flush();
    },
  };
}

const standardInput: Pick<Wire, 'read' | 'readAsync'> = {
  read: (buffer) => {
    try {
      return fs.readSync(0, buffer);
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') return undefined;
      throw error;
    }
  },
  readAsync: () => process.stdin,
};

/** Writes to standard output. If the reader has gone away, the process ends: no one is left to answer. */
function write(text: string): void {
  try {
    writeFully(1, Buffer.from(text));
  } catch (error) {
    if (codeOf(error) === 'EPIPE') process.exit(1);
    throw error;
  }
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('the working directory was deleted, or cannot be reached: start jinn in one that exists');
  }
}

function columnsOf(): number | undefined {
  return isTerminal(1) ? process.stdout.columns || DEFAULT_COLUMNS : undefined;
}

function homeOfUser(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    return undefined;
  }
}

/** Reports whether a descriptor is a terminal. It loads node:tty only for a character device, not for a pipe or a file. */
function isTerminal(fd: number): boolean {
  return fs.fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}

main().then(
  // Exit at once: all is written, and closing an open database would only sync it twice more.
  (status) => process.exit(status),
  (error: unknown) => {
    if (error instanceof UsageError) process.stderr.write(`jinn: ${error.message}\n`);
    else if (error instanceof ToolError) process.stderr.write(`jinn: ${error.message}; ${error.suggestion}\n`);
    else logError(error);
    process.exit(error instanceof UsageError || error instanceof ToolError ? 2 : 1);
  },
);
