import { type Answer, type Envelope, type Question, type Request, toEnvelope, toFailure } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Incoming } from '@jinn/core/text';
import { createInput, type Input, JsonStream } from './json-stream.ts';
import { type ModelCall, refuseModelCall, toModelCall } from './model-calls.ts';
import type { Approvals } from './pipe-approvals.ts';
import { invalid, missing, NO_INPUT, nearMiss } from './request-errors.ts';

const MAX_SHOWN = 60;
const CHUNK_BYTES = 65_536;
/** How long the next request may stay unread while a call runs that is not parallel. */
const PATIENCE_MS = 300;
/** Most calls end within these turns, so that no timer need be set for them. */
const MICROTASK_TURNS = 1_000;
/**
 * The version of the protocol that docs/protocol.md describes. It changes when a caller that follows the page would
 * break.
 */
export const PROTOCOL_VERSION = 1;
/** The most parallel calls that run at once. */
const MAX_RUNNING = 16;
/** The most requests that have been read and not answered. Reading goes on until then, since a cancel or a decision may come. */
const MAX_WAITING = 1_024;
/** The most bytes of these requests: no more are read until one is answered, unless a question is open. */
const MAX_WAITING_BYTES = 1_048_576;

/** Lines for standard output, in their order. */
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

/** A request whose shape has been checked. */
interface StdioRequest extends Request {
  /** True if the call may overtake others. */
  readonly parallel: boolean;
  /** True if the answer must have all of `meta`. If absent, the flag of the process decides. */
  readonly wantsMeta?: boolean;
  /** The id as JSON text, which is repeated in the answer. */
  readonly requestId: string | undefined;
  /** Present if the request came in the form of a model's API; it is answered in the same form. */
  readonly modelCall?: ModelCall;
}

/** An answer, as a line. */
interface AnsweredRequest {
  readonly ok: boolean;
  readonly line: string;
}

/** What a call may send to its caller while it runs, and hear from it. */
export interface CallEnds {
  /** Absent if nobody can be asked. */
  readonly ask?: ((question: Question, elsewhere?: AbortSignal) => Promise<Answer | undefined>) | undefined;
  /** Absent for a request without an id, which cannot be canceled. */
  readonly signal?: AbortSignal | undefined;
  /** Writes a line on how far the call is. */
  report(progress: object): void;
  /** Reports whether the request is the only one. It reads on at once, and knows at the end of the input. */
  isOnlyRequest(): Promise<boolean>;
}

/** Answers requests in the form of the protocol. */
export interface Answerer {
  call(request: StdioRequest, ends: CallEnds): Promise<Envelope>;
  /** Answers a model's call in the words of its API. */
  callForModel(request: StdioRequest, call: ModelCall, ends: CallEnds): Promise<{ ok: boolean; answer: object }>;
  /** Reports whether work goes on between calls, such as background jobs: then waiting for input must not block it. */
  worksBetweenCalls(): boolean;
}

/**
 * Answers each JSON value with one line. Calls run in order; a parallel one starts when it is read. Returns true if every
 * answer was ok. Standard input is read synchronously at first, since Node's streams take longer to load than most calls
 * take; that ends when a call takes long, when a parallel one runs, when a person is asked, or when work goes on between
 * calls. `approvals` is absent if nobody can be asked.
 */
export async function serve(wire: Wire, answerer: Answerer, approvals?: Approvals): Promise<boolean> {
  const values = new JsonStream();
  const input = createInput();
  const caller = createCaller(wire, answerer, { approvals, input });
  const answers = createAnswers(wire, caller, { approvals, input });
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
      const canceled = toCanceled(value);
      if (canceled !== undefined) {
        caller.cancel(canceled);
        continue;
      }
      input.requests++;
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
  } while (count > 0 && answers.open === 0 && !answerer.worksBetweenCalls());
  // From here on waiting gains nothing, and a cancel may be next.
  patience = 0;
  if (count !== 0) for await (const chunk of wire.readAsync()) await accept(chunk);
  values.end();
  await acceptValues();
  input.end();
  if (values.empty) answers.add(NO_INPUT, 0);
  approvals?.end();
  return answers.finish();
}

/** Returns the id of the request that the value cancels, as JSON text, if it is a cancel with an id. */
function toCanceled(incoming: Incoming): string | undefined {
  if (!incoming.ok || !isObject(incoming.value) || !isAbsent(incoming.value['tool'])) return undefined;
  return idOf(incoming, 'cancel');
}

/** What calls may need beside their arguments. */
interface CallNeeds {
  readonly approvals: Approvals | undefined;
  readonly input: Input;
}

/** Runs requests. A request with an id can be canceled until it is answered. */
function createCaller(wire: Wire, answerer: Answerer, { approvals, input }: CallNeeds) {
  const cancelable = new Map<StdioRequest, AbortController>();

  async function call(request: StdioRequest, signal: AbortSignal | undefined): Promise<AnsweredRequest> {
    const { requestId, modelCall } = request;
    if (signal?.aborted) return refuse(new ToolError('canceled', 'the request was canceled before it ran'), request);
    const ends: CallEnds = {
      ask: approvals && ((question, elsewhere) => approvals.ask(request, question, elsewhere ?? signal)),
      signal,
      report: (progress) => wire.write(`${withRequestId({ progress }, requestId)}\n`),
      isOnlyRequest: () => input.isOnlyRequest(),
    };
    if (modelCall) {
      const { ok, answer } = await answerer.callForModel(request, modelCall, ends);
      return { ok, line: JSON.stringify(answer) };
    }
    const envelope = await answerer.call(request, ends);
    return { ok: envelope.ok, line: withRequestId(envelope, requestId) };
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

function createAnswers(wire: Wire, caller: ReturnType<typeof createCaller>, { approvals, input }: CallNeeds) {
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

  /** Settles with the first of these promises, or when a question is put to a person. */
  const first = (promises: Iterable<Promise<unknown>>) =>
    Promise.race(approvals ? [...promises, approvals.asked()] : promises);
  const isFull = () => open.size >= MAX_WAITING || (open.size >= MAX_RUNNING && waitingBytes > MAX_WAITING_BYTES);

  return {
    /** The number of requests that have not been answered. */
    get open() {
      return open.size;
    },
    /** Begins a request. `bytes` were read for it. */
    add(incoming: Incoming, bytes: number): { isParallel: boolean } {
      const request = open.size < MAX_WAITING ? parse(incoming) : tooMany(incoming);
      const isParallel = 'tool' in request && request.parallel;
      const before = isParallel ? slots.take() : last;
      const answered = answer('tool' in request ? caller.run(request, before) : before.then(() => request));
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
      if (open.size === 1 && ms > 0 && !approvals?.isWaiting)
        await withTimeout(Promise.race([first(open), input.wanted]), ms);
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

/** Lets at most `count` calls run at once; the others wait in their order. */
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

function parse(incoming: Incoming): StdioRequest | AnsweredRequest {
  const requestId = requestIdOf(incoming);
  try {
    if (!incoming.ok) throw new ToolError('invalid_request', incoming.message, { suggestion: incoming.suggestion });
    const request = toRequest(incoming.value);
    const { modelCall } = request;
    if (modelCall?.fault) return refuse(modelCall.fault, { modelCall, requestId });
    return { ...request, requestId: modelCall ? JSON.stringify(modelCall.id) : requestId };
  } catch (error) {
    return refuse(error, { requestId });
  }
}

function refuse(
  thrown: unknown,
  { modelCall, requestId }: Pick<StdioRequest, 'modelCall' | 'requestId'>,
): AnsweredRequest {
  const failure = toFailure(thrown);
  if (modelCall) return { ok: false, line: JSON.stringify(refuseModelCall(modelCall, failure.error)) };
  return { ok: false, line: withRequestId(toEnvelope(failure), requestId) };
}

function tooMany(incoming: Incoming): AnsweredRequest {
  const error = new ToolError('resource_limit', `more than ${MAX_WAITING} requests wait for the answer of a person`, {
    suggestion: 'send it again when the question is answered',
  });
  const request = parse(incoming);
  return 'tool' in request ? refuse(error, request) : request;
}

/**
 * Checks the shape of a request. Throws `invalid_request`, which says what is wrong. Unknown keys are ignored, except one
 * that was meant to be `tool` or `args`: without its arguments a call could do something else.
 */
function toRequest(value: unknown): Omit<StdioRequest, 'requestId'> {
  if (!isObject(value)) throw invalid('a request is an object');
  const modelCall = isAbsent(value['tool']) && typeof value['type'] === 'string' ? toModelCall(value) : undefined;
  if (isAbsent(value['tool']) && !isAbsent(value['cancel'])) throw invalid('"cancel" must be a string or a number');
  const { tool, args, client, parallel, meta } = modelCall ? { ...value, ...modelCall } : value;
  if (typeof tool !== 'string') throw invalid(isAbsent(tool) ? missing(value, 'tool') : '"tool" must be a string');
  if (args === undefined && nearMiss(value, 'args') !== undefined) throw invalid(missing(value, 'args'));
  if (!isAbsent(args) && !isObject(args)) throw invalid('"args" must be an object');
  const checked = checkRest(value, modelCall);
  return {
    tool,
    args: args ?? {},
    parallel: parallel === true,
    ...(checked && { modelCall: checked }),
    ...(typeof client === 'string' && { client }),
    ...(typeof meta === 'boolean' && { wantsMeta: meta }),
  };
}

/**
 * Checks the keys beside the call itself. A fault beside a model's call is added to it, so that the answer has the form
 * of the API.
 */
function checkRest(rest: Readonly<Record<string, unknown>>, modelCall: ModelCall | undefined): ModelCall | undefined {
  const fault = modelCall?.fault ?? faultOfRest(rest);
  if (fault && !modelCall) throw fault;
  return fault && modelCall ? { ...modelCall, fault } : modelCall;
}

function faultOfRest(rest: Readonly<Record<string, unknown>>): ToolError | undefined {
  const { parallel, meta, client, request_id, protocol } = rest;
  if (!isAbsent(parallel) && typeof parallel !== 'boolean') return invalid('"parallel" must be true or false');
  if (!isAbsent(meta) && typeof meta !== 'boolean') return invalid('"meta" must be true or false');
  if (!isAbsent(client) && typeof client !== 'string') return invalid('"client" must be a string');
  if (!isAbsent(request_id) && typeof request_id !== 'string' && typeof request_id !== 'number')
    return invalid('"request_id" must be a string or a number');
  if (!isAbsent(protocol) && protocol !== PROTOCOL_VERSION)
    return invalid(
      `"protocol" is ${String(JSON.stringify(protocol)).slice(0, MAX_SHOWN)}; this jinn speaks version ${PROTOCOL_VERSION}`,
    );
  return undefined;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the id of a request as JSON text; undefined if it has none, or one that is neither a string nor a number. A
 * number stays as it was written: JavaScript would change a long one.
 */
export function requestIdOf(incoming: Incoming): string | undefined {
  return idOf(incoming, 'request_id');
}

function idOf(incoming: Incoming, key: 'request_id' | 'cancel'): string | undefined {
  if (!incoming.ok) return undefined;
  const id = (Object(incoming.value) as Readonly<Record<string, unknown>>)[key];
  if (typeof id === 'number') return incoming.numbers?.get(key) ?? String(id);
  return typeof id === 'string' ? JSON.stringify(id) : undefined;
}

/** Returns the JSON of an object that has members, with the id of a request, which is JSON text, as its last one. */
export function withRequestId(members: object, requestId: string | undefined): string {
  const text = JSON.stringify(members);
  return requestId === undefined ? text : `${text.slice(0, -1)},"request_id":${requestId}}`;
}
