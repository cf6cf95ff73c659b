import { type Envelope, type Request, ToolError, toFailure } from '@jinn/core';
import type { Incoming } from './json-fault.ts';
import { createJsonValues } from './json-values.ts';
import { requestIdOf, toRequest } from './request.ts';

const CHUNK_BYTES = 65_536;
/** How long the next request may stay unread while a call runs. */
const PATIENCE_MS = 300;
/** Most calls end within these, so that no timer need be set for them. */
const MICROTASK_TURNS = 1_000;
/** Requests that have been read and not answered; more are not read. */
const MAX_OPEN = 16;

/** Standard input and output, as descriptors that wait. */
export interface Wire {
  /** Reads what is there, waiting for it: the number of bytes, 0 at the end; undefined when it cannot wait. */
  read(buffer: Buffer): number | undefined;
  /** What `read` has not read, for when calls run meanwhile. */
  readAsync(): AsyncIterable<Uint8Array>;
  write(line: string): void;
}

/**
 * Answers each JSON value with one line (design section 3). Calls run in order; a parallel one starts when it is read.
 * Gives true when every answer was ok. Standard input is read synchronously, since Node's stream costs a one-shot call
 * more than its tool, until a call takes so long that other requests must be read meanwhile.
 */
export async function serve(wire: Wire, call: (request: Request) => Promise<Envelope>): Promise<boolean> {
  const values = createJsonValues();
  const answers = createAnswers(wire, call);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  async function take(): Promise<void> {
    for (let value = values.next(); value; value = values.next()) {
      answers.add(value);
      await answers.settle(PATIENCE_MS);
    }
  }

  let count: number | undefined;
  do {
    count = wire.read(buffer);
    if (count === undefined) break;
    values.push(buffer.subarray(0, count));
    await take();
  } while (count > 0 && answers.open === 0);
  if (count !== 0) {
    for await (const chunk of wire.readAsync()) {
      values.push(chunk);
      await take();
    }
  }
  values.end();
  await take();
  if (values.empty) answers.add(NO_INPUT);
  return answers.finish();
}

const NO_INPUT: Incoming = { ok: false, message: 'no input: pipe a JSON request to stdin (try jinn --help)' };

function createAnswers(wire: Wire, call: (request: Request) => Promise<Envelope>) {
  const running = new Set<Promise<void>>();
  let last: Promise<unknown> = Promise.resolve();
  let allOk = true;

  async function answer(pending: Promise<Envelope>): Promise<void> {
    const envelope = await pending;
    allOk &&= envelope.ok;
    wire.write(`${JSON.stringify(envelope)}\n`);
  }

  return {
    /** Calls that have not been answered. */
    get open() {
      return running.size;
    },
    add(incoming: Incoming): void {
      const request = parse(incoming);
      const now = 'tool' in request && request.parallel;
      const before = now ? Promise.resolve() : last;
      const answered = answer(before.then(() => ('tool' in request ? call(request) : request)));
      if (!now) last = answered;
      running.add(answered);
      void answered.then(() => running.delete(answered));
    },
    /** Waits for what runs, at most `ms`; longer only while too much is open. */
    async settle(ms: number): Promise<void> {
      for (let turns = 0; running.size > 0 && turns < MICROTASK_TURNS; turns++) await undefined;
      if (running.size > 0) await withTimeout(Promise.all(running), ms);
      while (running.size >= MAX_OPEN) await Promise.race(running);
    },
    async finish(): Promise<boolean> {
      await Promise.all(running);
      return allOk;
    },
  };
}

function parse(incoming: Incoming): ReturnType<typeof toRequest> | Envelope {
  try {
    if (!incoming.ok) throw new ToolError('invalid_request', incoming.message);
    return toRequest(incoming.value);
  } catch (error) {
    return { ...toFailure(error), ...(incoming.ok && requestIdOf(incoming.value)) };
  }
}

async function withTimeout(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
