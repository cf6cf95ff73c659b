import fs from 'node:fs';
import { beginWork, type Registry, toEnvelope, withTimeout, writeFully } from '@jinn/core';
import { ToolError, UsageError } from '@jinn/core/errors';
import { type Incoming, toVisibleLines } from '@jinn/core/text';
import { type Engine, openEngine, type RequestHooks, toSchemaFormat } from '@jinn/toolsets';
import { type MachineOptions, type OpenMachine, openMachine } from '@jinn/toolsets/machine';
import { recordCalls } from '@jinn/ui/record-calls';
import { type Directories, findDirectories } from '@jinn/workspace';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandWord } from './commands.ts';
import { type Invocation, NO_FLAGS } from './invocation.ts';
import type { PipeApprovals } from './pipe-approvals.ts';
import {
  type AnsweredRequest,
  canceledBy,
  JsonLines,
  MISSING_INPUT,
  parseRequest,
  refuseRequest,
  type StdioRequest,
  withRequestId,
} from './request.ts';

const VERSION = packageJson.version;

const CHUNK_BYTES = 65_536;
/** How long the next request may stay unread while a call runs that is not parallel. */
const PATIENCE_MS = 300;
/** Most calls end within these turns, so that no timer need be set for them. */
const MICROTASK_TURNS = 1_000;
const MAX_RUNNING = 16;
/** The most requests that have been read and not answered. Reading continues until then, since a cancel or a decision may come. */
const MAX_WAITING = 1_024;
/** The most bytes of these requests: no more are read until one is answered, unless a question is open. */
const MAX_WAITING_BYTES = 1_048_576;

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
  const [, , word = '', ...argv] = process.argv;
  if (/^(tools|lsp|grants|undo|ui|completion)$/.test(word)) {
    const { runJinnCommand } = await import('./commands.ts');
    const readAll = () => fs.readFileSync(0, 'utf8');
    const surroundings = { version: VERSION, environment: process.env, workingDirectory, home, directories };
    return runJinnCommand(word as CommandWord, argv, { ...surroundings, isTerminal, readAll, write });
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
  const lines = createAnswerLines();
  const approvals = invocation.asks
    ? (await import('./pipe-approvals.ts')).createPipeApprovals(lines.write)
    : undefined;
  const { meta, progress } = invocation;
  beginWork();
  const isOk = await serve(lines, engine, { approvals, meta, progress });
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

interface StdioOptions {
  readonly approvals: PipeApprovals | undefined;
  /** True if answers have all of `meta`, unless a request says otherwise. */
  readonly meta: boolean;
  readonly progress: boolean;
}

/**
 * Answers each JSON value with one line. Calls run in order. A parallel one starts when it is read. Returns true if every
 * answer was ok. Standard input is read synchronously at first, since Node's streams take longer to load than most calls
 * take. That ends when a call takes long, when a parallel one runs, when the user is asked, or when work continues between
 * calls.
 */
async function serve(lines: AnswerLines, engine: Engine, options: StdioOptions): Promise<boolean> {
  const { approvals } = options;
  const values = new JsonLines();
  const runner = createRequestRunner(lines, engine, options);
  const answers = createAnswers(lines, runner, approvals);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  let bytes = 0;
  let patience = PATIENCE_MS;

  async function accept(chunk: Uint8Array): Promise<void> {
    values.push(chunk);
    bytes += chunk.length;
    await acceptValues();
  }

  async function acceptValues(): Promise<void> {
    for (let value = values.next(); value; value = values.next()) {
      lines.hold();
      const decision = approvals?.toDecision(value);
      if (approvals && decision) {
        const refusal = approvals.take(decision);
        if (refusal !== undefined) lines.write(`${refusal}\n`);
        continue;
      }
      const canceled = canceledBy(value);
      if (canceled !== undefined) {
        runner.cancel(canceled);
        continue;
      }
      const { isParallel } = answers.add(value, bytes);
      bytes = 0;
      await answers.settle(isParallel ? 0 : patience);
    }
    lines.release();
  }

  let count: number | undefined;
  do {
    count = readInput(buffer);
    if (count === undefined) break;
    await accept(buffer.subarray(0, count));
  } while (count > 0 && answers.open === 0 && !engine.session.worksBetweenCalls);
  // From here on waiting gains nothing, and a cancel may be next.
  patience = 0;
  if (count !== 0) for await (const chunk of process.stdin) await accept(chunk);
  values.end();
  await acceptValues();
  if (values.empty) answers.add(MISSING_INPUT, 0);
  approvals?.end();
  return answers.finish();
}

function createRequestRunner(
  lines: AnswerLines,
  engine: Engine,
  { approvals, meta, progress: wantsProgress }: StdioOptions,
) {
  const cancelable = new Map<StdioRequest, AbortController>();

  async function call(request: StdioRequest, signal: AbortSignal | undefined): Promise<AnsweredRequest> {
    const { requestId, modelCall, wantsMeta = meta } = request;
    if (signal?.aborted)
      return refuseRequest(new ToolError('canceled', 'the request was canceled before it ran'), request);
    const ask: RequestHooks['ask'] =
      approvals && ((question, elsewhere) => approvals.ask(request, question, elsewhere ?? signal));
    const report = (progress: object) => lines.write(`${withRequestId({ progress }, requestId)}\n`);
    const progress = wantsProgress ? await startProgress(report) : undefined;
    const hooks = { ask, signal, progress: progress?.report, wantsMeta };
    try {
      if (modelCall) {
        const { ok, content } = await engine.callForModel(request, hooks);
        return { ok, line: JSON.stringify(modelCall.toAnswer(ok, content)) };
      }
      const isPlain = !wantsMeta && !ask && !signal && !progress;
      const outcome = await engine.call(request, isPlain ? undefined : hooks);
      return { ok: outcome.ok, line: withRequestId(toEnvelope(outcome, { wantsMeta }), requestId) };
    } finally {
      progress?.stop();
    }
  }

  return {
    async run(request: StdioRequest, before: Promise<unknown>): Promise<AnsweredRequest> {
      // A controller takes Node half a millisecond to load.
      const controller = request.requestId === undefined ? undefined : new AbortController();
      if (controller) cancelable.set(request, controller);
      try {
        await before;
        return await call(request, controller?.signal);
      } finally {
        cancelable.delete(request);
      }
    },
    /** Cancels the open requests of an id. One that has been answered is none: the cancel came too late. */
    cancel(id: string): void {
      for (const [{ requestId }, controller] of cancelable) if (requestId === id) controller.abort();
    },
  };
}

async function startProgress(report: (progress: object) => void) {
  const { createProgress } = await import('@jinn/core/progress');
  // A sign of life, before the tool reports itself, counts a fraction.
  return createProgress(({ progress, ...rest }) => report({ done: Math.floor(progress), ...rest }));
}

function createAnswers(
  lines: AnswerLines,
  runner: ReturnType<typeof createRequestRunner>,
  approvals: PipeApprovals | undefined,
) {
  const open = new Set<Promise<void>>();
  const slots = createSlots(MAX_RUNNING);
  let last: Promise<unknown> = Promise.resolve();
  let allOk = true;
  let waitingBytes = 0;

  async function answer(pending: Promise<AnsweredRequest>): Promise<void> {
    const { ok, line } = await pending;
    allOk &&= ok;
    lines.write(`${line}\n`);
  }

  const first = (promises: Iterable<Promise<unknown>>) =>
    Promise.race(approvals ? [...promises, approvals.asked()] : promises);
  const isFull = () => open.size >= MAX_WAITING || (open.size >= MAX_RUNNING && waitingBytes > MAX_WAITING_BYTES);

  return {
    get open() {
      return open.size;
    },
    add(incoming: Incoming, bytes: number): { isParallel: boolean } {
      const request = open.size < MAX_WAITING ? parseRequest(incoming) : tooMany(incoming);
      const isParallel = 'tool' in request && request.parallel;
      const before = isParallel ? slots.take() : last;
      const answered = answer('tool' in request ? runner.run(request, before) : before.then(() => request));
      if (!isParallel) last = answered;
      open.add(answered);
      waitingBytes += bytes;
      void answered.then(() => {
        open.delete(answered);
        waitingBytes -= bytes;
        if (isParallel) slots.free();
      });
      return { isParallel };
    },
    /** Waits for a lone call, at most `ms`, and longer only while too much waits. */
    async settle(ms: number): Promise<void> {
      for (let turns = 0; open.size > 0 && turns < MICROTASK_TURNS; turns++) await undefined;
      if (open.size > 0) lines.release();
      if (open.size === 1 && ms > 0 && !approvals?.isWaiting) await withTimeout(first(open), ms);
      while (isFull() && !approvals?.isWaiting) await first(open);
    },
    async finish(): Promise<boolean> {
      await Promise.all(open);
      return allOk;
    },
  };
}

function createSlots(count: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    take(): Promise<void> {
      if (taken === count) return new Promise((resolve) => void waiting.push(resolve));
      taken += 1;
      return Promise.resolve();
    },
    free(): void {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
}

function tooMany(incoming: Incoming): AnsweredRequest {
  const error = new ToolError('resource_limit', `more than ${MAX_WAITING} requests wait for approval`, {
    suggestion: 'send it again when the question is answered',
  });
  const request = parseRequest(incoming);
  return 'tool' in request ? refuseRequest(error, request) : request;
}

type AnswerLines = ReturnType<typeof createAnswerLines>;

function createAnswerLines() {
  let isHeld = false;
  let held = '';
  let oldest = 0;
  const flush = () => {
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  return {
    /** Writes a line at once, or soon if lines are held. */
    write: (line: string): void => {
      if (held === '') oldest = Date.now();
      held += line;
      if (!isHeld || held.length > MAX_HELD_LENGTH || Date.now() - oldest > MAX_HELD_MS) flush();
    },
    /** Lets lines gather, since a write of its own for each would take a fifth of a short call. */
    hold: (): void => {
      isHeld = true;
    },
    /** Writes what has gathered, and each later line at once. */
    release: (): void => {
      isHeld = false;
      flush();
    },
  };
}

/** Waits for input and reads it. Returns the number of bytes, 0 at the end, undefined if standard input cannot block. */
function readInput(buffer: Buffer): number | undefined {
  try {
    return fs.readSync(0, buffer);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
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
