import { nearestName, ToolError } from '@jinn/errors';
import type { Incoming } from '@jinn/text';
import { type Answer, type Envelope, type Question, type Request, toEnvelope, toFailure } from '@jinn/tool';
import { JsonStream } from './json-stream.ts';
import type { Approvals, Decision } from './pipe-approvals.ts';

const CHUNK_BYTES = 65_536;
/** How long the next request may stay unread while a call runs that is not parallel. */
const PATIENCE_MS = 300;
/** Most calls end within these turns, so that no timer need be set for them. */
const MICROTASK_TURNS = 1_000;
/** The most requests that have been read and not answered. No more are read until one is answered. */
const MAX_OPEN = 16;
/** The most requests that wait while a question to a person is open. Reading goes on then, since the answer is to be read. */
const MAX_WAITING = 1_024;
const SEND_CALL = 'send {"tool":"read_file","args":{"path":"README.md"}}';
const NO_INPUT: Incoming = {
  ok: false,
  message: 'no input: pipe a JSON request to stdin (try jinn --help)',
  suggestion: SEND_CALL,
};

/** The names that other protocols have for the two keys of a request. */
const OTHER_NAMES = {
  tool: ['name', 'tool_name', 'toolname', 'function', 'method', 'command'],
  args: ['arguments', 'argument', 'parameters', 'params', 'input', 'tool_input'],
} as const;

/** Standard input and output, as descriptors that block. */
export interface Wire extends AnswerLines {
  /** Waits for input and reads it. Returns the number of bytes, 0 at the end, undefined if the descriptor cannot block. */
  read(buffer: Buffer): number | undefined;
  /** Reads what `read` has not read, while calls run. */
  readAsync(): AsyncIterable<Uint8Array>;
}

/** A request whose shape has been checked. */
interface StdioRequest extends Request {
  /** True if the call may overtake others. */
  readonly parallel: boolean;
  /** True if the answer is to have all of `meta`. The flag of the process decides if absent. */
  readonly wantsMeta?: boolean;
  /** JSON text that is echoed in the answer. */
  readonly requestId: string | undefined;
}

/** An answer, and the id of its request as JSON text. */
interface AnsweredRequest {
  readonly envelope: Envelope;
  readonly requestId: string | undefined;
}

/** Where requests go. */
export interface Engine {
  /** `ask` is absent if nobody can be asked. */
  call(request: StdioRequest, ask?: (question: Question) => Promise<Answer | undefined>): Promise<Envelope>;
  /** True if work goes on between calls, such as background jobs: then waiting for input must not block it. */
  worksBetweenCalls(): boolean;
}

/**
 * Answers each JSON value with one line. Calls run in order; a parallel one starts when it is read. Returns true if every
 * answer was ok. Standard input is read synchronously at first, since Node's streams take longer to load than most calls
 * take; that ends when a call takes long, when a parallel one runs, when a person is asked, or when work goes on between
 * calls. `approvals` is absent if nobody can be asked.
 */
export async function serve(wire: Wire, engine: Engine, approvals?: Approvals): Promise<boolean> {
  const values = new JsonStream();
  const answers = createAnswers(wire, engine, approvals);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  async function acceptValues(): Promise<void> {
    for (let value = values.next(); value; value = values.next()) {
      wire.hold();
      const decision = approvals && toDecision(value);
      if (decision) {
        decide(wire, approvals, decision);
        continue;
      }
      const { isParallel } = answers.add(value);
      await answers.settle(isParallel ? 0 : PATIENCE_MS);
    }
    wire.release();
  }

  let count: number | undefined;
  do {
    count = wire.read(buffer);
    if (count === undefined) break;
    values.push(buffer.subarray(0, count));
    await acceptValues();
  } while (count > 0 && answers.open === 0 && !engine.worksBetweenCalls());
  if (count !== 0) {
    for await (const chunk of wire.readAsync()) {
      values.push(chunk);
      await acceptValues();
    }
  }
  values.end();
  await acceptValues();
  if (values.empty) answers.add(NO_INPUT);
  approvals?.end();
  return answers.finish();
}

/** Returns the value as the decision of a person, if it is one. */
function toDecision(incoming: Incoming): Decision | undefined {
  if (!incoming.ok || !isObject(incoming.value)) return undefined;
  const { approval, tool } = incoming.value;
  return typeof approval === 'string' && tool === undefined ? { ...incoming.value, approval } : undefined;
}

/** Passes on a decision. Only one that is not taken is answered. */
function decide(wire: Wire, approvals: Approvals, decision: Decision): void {
  const fault = approvals.decide(decision);
  if (fault === undefined) return;
  const error = new ToolError('invalid_request', `invalid decision: ${fault}`, {
    suggestion: 'send {"approval":"the id of the question","answer":"once"}',
  });
  wire.write(`${JSON.stringify({ ...toEnvelope(toFailure(error)), approval: decision.approval })}\n`);
}

function createAnswers(wire: Wire, engine: Engine, approvals: Approvals | undefined) {
  const running = new Set<Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();
  let allOk = true;

  async function answer(pending: Promise<AnsweredRequest>): Promise<void> {
    const { envelope, requestId } = await pending;
    allOk &&= envelope.ok;
    wire.write(`${withRequestId(envelope, requestId)}\n`);
  }

  async function callWithId(request: StdioRequest): Promise<AnsweredRequest> {
    const ask = approvals && ((question: Question) => approvals.ask(request, question));
    return { envelope: await engine.call(request, ask), requestId: request.requestId };
  }

  /** Returns the promises to wait for: those of open answers, and that of a question to a person. */
  function untilNext(): Promise<unknown>[] {
    return approvals ? [...running, approvals.asked()] : [...running];
  }

  async function withTimeout(promise: Promise<unknown>, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([promise, timeout, ...(approvals ? [approvals.asked()] : [])]);
    clearTimeout(timer);
  }

  return {
    /** The number of requests that have not been answered. */
    get open() {
      return running.size;
    },
    add(incoming: Incoming): { isParallel: boolean } {
      const request = running.size < MAX_WAITING ? parse(incoming) : tooMany(incoming);
      const isParallel = 'tool' in request && request.parallel;
      const before = isParallel ? Promise.resolve() : last;
      const answered = answer(before.then(() => ('tool' in request ? callWithId(request) : request)));
      if (!isParallel) last = answered;
      running.add(answered);
      void answered.then(() => running.delete(answered));
      return { isParallel };
    },
    /** Waits for what runs, at most `ms`, and longer only while too many requests are open. */
    async settle(ms: number): Promise<void> {
      for (let turns = 0; running.size > 0 && turns < MICROTASK_TURNS; turns++) await undefined;
      if (running.size > 0) wire.release();
      if (running.size > 0 && ms > 0 && !approvals?.isWaiting) await withTimeout(Promise.all(running), ms);
      while (running.size >= MAX_OPEN && !approvals?.isWaiting) await Promise.race(untilNext());
    },
    async finish(): Promise<boolean> {
      await Promise.all(running);
      return allOk;
    },
  };
}

function parse(incoming: Incoming): StdioRequest | AnsweredRequest {
  const requestId = requestIdOf(incoming);
  try {
    if (!incoming.ok) throw new ToolError('invalid_request', incoming.message, { suggestion: incoming.suggestion });
    return { ...toRequest(incoming.value), requestId };
  } catch (error) {
    return { envelope: toEnvelope(toFailure(error)), requestId };
  }
}

function tooMany(incoming: Incoming): AnsweredRequest {
  const error = new ToolError('resource_limit', `more than ${MAX_WAITING} requests wait for the answer of a person`, {
    suggestion: 'send it again when the question is answered',
  });
  return { envelope: toEnvelope(toFailure(error)), requestId: requestIdOf(incoming) };
}

/**
 * Checks the shape of a request. Throws `invalid_request`, which says what is wrong. Unknown keys are ignored, except one
 * that was meant to be `tool` or `args`: without its arguments a call could do something else.
 */
function toRequest(value: unknown): Omit<StdioRequest, 'requestId'> {
  if (!isObject(value)) throw invalid('a request is an object');
  const { tool, args, request_id, client, parallel = false, meta } = value;
  if (typeof tool !== 'string') throw invalid(tool === undefined ? missing(value, 'tool') : '"tool" must be a string');
  if (args === undefined && nearMiss(value, 'args') !== undefined) throw invalid(missing(value, 'args'));
  if (args !== undefined && args !== null && !isObject(args)) throw invalid('"args" must be an object');
  if (typeof parallel !== 'boolean') throw invalid('"parallel" must be true or false');
  if (!isAbsent(meta) && typeof meta !== 'boolean') throw invalid('"meta" must be true or false');
  if (!isAbsent(client) && typeof client !== 'string') throw invalid('"client" must be a string');
  if (!isAbsent(request_id) && typeof request_id !== 'string' && typeof request_id !== 'number')
    throw invalid('"request_id" must be a string or a number');
  return {
    tool,
    args: args ?? {},
    parallel,
    ...(!isAbsent(client) && { client }),
    ...(!isAbsent(meta) && { wantsMeta: meta }),
  };
}

function missing(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string {
  const near = nearMiss(value, key);
  return near === undefined ? `"${key}" is missing` : `"${key}" is missing; did you mean "${key}" by ${quote(near)}?`;
}

function nearMiss(value: Record<string, unknown>, key: keyof typeof OTHER_NAMES): string | undefined {
  const names = Object.keys(value).filter((name) => !['tool', 'args', 'client', 'request_id'].includes(name));
  const others: readonly string[] = OTHER_NAMES[key];
  return names.find((name) => others.includes(name.toLowerCase())) ?? nearestName(key, names);
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}

function invalid(what: string): ToolError {
  return new ToolError('invalid_request', `invalid request: ${what}`, {
    suggestion: SEND_CALL,
  });
}

/** Held lines are written at this length, so that they take little memory. */
const MAX_HELD_LENGTH = 65_536;
/** Held lines are written at this age, so that a long call keeps no answer before it from a reader. */
const MAX_HELD_MS = 5;

/** Lines for standard output, in their order. */
export interface AnswerLines {
  /** Writes a line at once, or soon if lines are held. */
  write(line: string): void;
  /** Lets lines gather, since a write of its own for each would take a fifth of a short call. */
  hold(): void;
  /** Writes what has gathered, and each later line at once. */
  release(): void;
}

export function createAnswerLines(write: (text: string) => void): AnswerLines {
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

/**
 * Returns the id of a request as JSON text; undefined if it has none, or one that is neither a string nor a number. A
 * number stays as it was written: JavaScript would change a long one.
 */
export function requestIdOf(incoming: Incoming): string | undefined {
  if (!incoming.ok) return undefined;
  const { request_id: id } = Object(incoming.value) as { request_id?: unknown };
  if (typeof id === 'number') return incoming.numbers?.get('request_id') ?? String(id);
  return typeof id === 'string' ? JSON.stringify(id) : undefined;
}

/** Returns the JSON of an object that has members, with the id of a request, which is JSON text, as its last one. */
export function withRequestId(members: object, requestId: string | undefined): string {
  const text = JSON.stringify(members);
  return requestId === undefined ? text : `${text.slice(0, -1)},"request_id":${requestId}}`;
}
