import { toEnvelope } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Incoming } from '@jinn/core/text';
import type { Engine, RequestHooks } from '@jinn/toolsets';
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

export interface AnswerLines {
  /** Writes a line at once, or soon if lines are held. */
  write(line: string): void;
  /** Lets lines gather, since a write of its own for each would take a fifth of a short call. */
  hold(): void;
  /** Writes what has gathered, and each later line at once. */
  release(): void;
}

/** Standard input and output, as descriptors that block. */
export interface Wire extends AnswerLines {
  /** Waits for input and reads it. Returns the number of bytes, 0 at the end, undefined if the descriptor cannot block. */
  read(buffer: Buffer): number | undefined;
  /** Reads what `read` has not read, while calls run. */
  readAsync(): AsyncIterable<Uint8Array>;
}

/** The flags of the process that decide how it answers, and the approvals. No approvals if no one can be asked. */
export interface StdioOptions {
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
export async function serve(wire: Wire, engine: Engine, options: StdioOptions): Promise<boolean> {
  const { approvals } = options;
  const values = new JsonLines();
  const runner = createRequestRunner(wire, engine, options);
  const answers = createAnswers(wire, runner, approvals);
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
      wire.hold();
      const decision = approvals?.toDecision(value);
      if (approvals && decision) {
        const refusal = approvals.take(decision);
        if (refusal !== undefined) wire.write(`${refusal}\n`);
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
    wire.release();
  }

  let count: number | undefined;
  do {
    count = wire.read(buffer);
    if (count === undefined) break;
    await accept(buffer.subarray(0, count));
  } while (count > 0 && answers.open === 0 && !engine.session.worksBetweenCalls);
  // From here on waiting gains nothing, and a cancel may be next.
  patience = 0;
  if (count !== 0) for await (const chunk of wire.readAsync()) await accept(chunk);
  values.end();
  await acceptValues();
  if (values.empty) answers.add(MISSING_INPUT, 0);
  approvals?.end();
  return answers.finish();
}

function createRequestRunner(wire: Wire, engine: Engine, { approvals, meta, progress: wantsProgress }: StdioOptions) {
  const cancelable = new Map<StdioRequest, AbortController>();

  async function call(request: StdioRequest, signal: AbortSignal | undefined): Promise<AnsweredRequest> {
    const { requestId, modelCall, wantsMeta = meta } = request;
    if (signal?.aborted)
      return refuseRequest(new ToolError('canceled', 'the request was canceled before it ran'), request);
    const ask: RequestHooks['ask'] =
      approvals && ((question, elsewhere) => approvals.ask(request, question, elsewhere ?? signal));
    const report = (progress: object) => wire.write(`${withRequestId({ progress }, requestId)}\n`);
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
  wire: Wire,
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
    wire.write(`${line}\n`);
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
      if (open.size > 0) wire.release();
      if (open.size === 1 && ms > 0 && !approvals?.isWaiting) await withTimeout(first(open), ms);
      while (isFull() && !approvals?.isWaiting) await first(open);
    },
    async finish(): Promise<boolean> {
      await Promise.all(open);
      return allOk;
    },
  };
}

async function withTimeout(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
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
