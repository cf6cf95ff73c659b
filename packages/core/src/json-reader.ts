import { Buffer } from 'node:buffer';
import type { Incoming } from './json-fault.ts';
import { advance, type Position } from './json-position.ts';

const MIB = 1024 * 1024;
const EMPTY = Buffer.alloc(0);
const WRITE_JSON = 'let a JSON library write the request';

// The states of the reader. Between tokens, a state is named for what is expected next.
export const [A_VALUE, FIRST_ELEMENT, FIRST_KEY, A_KEY, A_COLON, AFTER_ELEMENT, AFTER_MEMBER] = [0, 1, 2, 3, 4, 5, 6];
// Within a token, it is named for the token. DEPTHS skips a value that is nested too deep, LINE the rest of a bad line.
export const [BETWEEN, STRING, ESCAPE, TOKEN, DEPTHS, LINE] = [7, 8, 9, 10, 11, 12];

export type Reader = ReturnType<typeof createReader>;

interface Report {
  /** The offset of what is wrong; absent if that says nothing. */
  readonly at?: number;
  readonly suggestion?: string | undefined;
}

/** Makes the state of a reader at the start of its stream. */
export function createReader(maxDepth: number, maxBytes: number) {
  return {
    maxDepth,
    maxBytes,
    finished: [] as Incoming[],
    taken: 0,
    empty: true,
    bomBytes: 0,
    /** The bytes that are read: the caller's chunk, or a copy of the value so far and the chunk. */
    bytes: EMPTY as Buffer,
    memory: EMPTY as Buffer,
    /** Offsets in `bytes`: where the value begins, where its last string or token begins, and the largest end of the value. */
    start: 0,
    item: 0,
    limit: 0,
    /** The line and column of the byte at the offset `positioned`. While a value is read, that is its first byte. */
    position: { line: 1, column: 1 } as Position,
    positioned: 0,
    /** The last byte of the previous chunk. */
    lastByte: 0,
    state: BETWEEN,
    /** True between values, and while the rest of a value is skipped that already has its answer. */
    answered: true,
    resumeAfterLine: false,
    depth: 0,
    /** By depth: the state after a value in that object or array, and where the keys of the object begin. */
    after: [] as number[],
    firstKey: [] as number[],
    keys: [] as string[],
    lastKey: '',
    /** The numbers right in the value that JavaScript writes otherwise. */
    numbers: undefined as Map<string, string> | undefined,
    /** By depth: the keys of an object that has many. */
    keySets: [] as (Set<string> | undefined)[],
    afterString: A_VALUE,
    escaped: false,
    hexDigits: 0,
    /** In the state DEPTHS, the last byte that was not white space. */
    significant: 0,
  };
}

/** Moves `position` to the byte at an offset. */
export function moveTo(r: Reader, i: number): void {
  advance(r.position, r.bytes.subarray(r.positioned, i));
  r.positioned = i;
}

/** Appends bytes to the copy, which grows by doubling, so that small chunks stay cheap. */
export function remember(r: Reader, held: number, bytes: Buffer): void {
  const length = held + bytes.length;
  if (length > r.memory.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * r.memory.length, 1024));
    r.memory.copy(larger, 0, 0, held);
    r.memory = larger;
  }
  bytes.copy(r.memory, held);
  r.bytes = r.memory.subarray(0, length);
}

/** Keeps the text of a number or literal, by the last key, if JavaScript would write it otherwise. */
export function keepNumber(r: Reader, text: string): void {
  if (text === String(JSON.parse(text))) return;
  r.numbers ??= new Map();
  r.numbers.set(r.lastKey, text);
}

/** Refuses the value for the content of a string or token, and reads on to the end of the value as if it were valid. */
export function flaw(r: Reader, at: number, problem: string, suggestion?: string): void {
  if (r.answered) return;
  report(r, problem, { at, suggestion });
  r.resumeAfterLine = true;
}

/** Answers for the value at once; the rest of it is skipped. */
export function report(r: Reader, problem: string, { at, suggestion = WRITE_JSON }: Report): void {
  if (r.answered) return;
  const where = at === undefined ? '' : positionOf(r, at);
  answer(r, { ok: false, message: `invalid JSON: ${problem}${where}`, suggestion });
}

function positionOf(r: Reader, at: number): string {
  const position = { ...r.position };
  advance(position, r.bytes.subarray(r.start, at));
  return ` (line ${position.line}, column ${position.column})`;
}

/** Hands out a value or a fault. */
export function answer(r: Reader, incoming: Incoming): void {
  r.finished.push(incoming);
  r.answered = true;
  r.limit = r.bytes.length;
  if (r.memory.length > MIB) r.memory = EMPTY;
  if (r.numbers) r.numbers = undefined;
  if (r.keys.length > 0) r.keys.length = 0;
  if (r.keySets.length > 0) r.keySets.length = 0;
}
