import { PRIVATE_KEY, SECRET_KINDS, type SecretKind, secretsOf } from '@jinn/workspace/secrets/content';

/** How much of a long line is searched before and after a mark. */
const AROUND = 512;
const NEWLINE = 0x0a;
const BUCKETS = 1 << 16;

interface Mark {
  readonly text: Buffer;
  readonly kinds: readonly number[];
}

interface MarkTable {
  readonly mayBegin: Uint8Array;
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
}

let table: MarkTable | undefined;

/** Calls `onSecret` once for each line with a secret. Returns the number of the line after the chunk. */
export function findSecrets(chunk: Buffer, firstLine: number, onSecret: (line: number, what: string) => void): number {
  let [line, counted, told] = [firstLine, 0, 0];
  for (const { at, what } of new Scan(chunk).run()) {
    line += countLines(chunk.subarray(counted, at));
    counted = at;
    if (line !== told) onSecret(line, what);
    told = line;
  }
  return line + countLines(chunk.subarray(counted));
}

interface FoundSecret {
  readonly at: number;
  readonly kind: number;
  readonly what: string;
}

/** Reads every three bytes once, and looks for a secret only around a mark of its kind. */
class Scan {
  readonly #chunk: Buffer;
  readonly #found: FoundSecret[] = [];
  /** How far each kind has been searched. A part of a line is not searched again for its other marks. */
  readonly #searched: number[] = SECRET_KINDS.map(() => 0);

  constructor(chunk: Buffer) {
    this.#chunk = chunk;
  }

  /** Finds the secrets in the order of the text. On one line, the kind that is first in the list comes first. */
  run(): FoundSecret[] {
    table ??= makeTable();
    const { mayBegin, marks } = table;
    const chunk = this.#chunk;
    let [first, second] = [chunk[0] ?? 0, chunk[1] ?? 0];
    for (let i = 2; i < chunk.length; i++) {
      const third = chunk[i] as number;
      const hash = hashOf(first, second, third);
      if (mayBegin[hash] !== 0) this.#searchAt(i - 2, marks.get(hash) ?? []);
      first = second;
      second = third;
    }
    return this.#found.sort((a, b) => a.at - b.at || a.kind - b.kind);
  }

  #searchAt(at: number, marks: readonly Mark[]): void {
    for (const { text, kinds } of marks) {
      if (this.#chunk.compare(text, 0, text.length, at, Math.min(this.#chunk.length, at + text.length)) !== 0) continue;
      for (const kind of kinds) if (at >= (this.#searched[kind] as number)) this.#search(at, kind, text.length);
    }
  }

  #search(at: number, kind: number, length: number): void {
    const chunk = this.#chunk;
    const first = Math.max(0, at - AROUND);
    const start = first + chunk.subarray(first, at).lastIndexOf(NEWLINE) + 1;
    const newline = chunk.subarray(at, at + 2 * AROUND).indexOf(NEWLINE);
    const end = newline < 0 ? at + 2 * AROUND : at + newline;
    const sought = SECRET_KINDS[kind] as SecretKind;
    // What follows the head of a private key is on other lines.
    const until = sought.what === PRIVATE_KEY ? at + 2 * AROUND : end;
    for (const found of secretsOf(sought, chunk.toString('latin1', start, until))) {
      if (start + found.start < end) this.#found.push({ at: start, kind, what: sought.what });
    }
    this.#searched[kind] = Math.max(at + length, newline < 0 ? end - AROUND : end);
  }
}

function makeTable(): MarkTable {
  const kindsOf = new Map<string, number[]>();
  for (const [i, { marks }] of SECRET_KINDS.entries()) {
    for (const mark of marks) kindsOf.set(mark, [...(kindsOf.get(mark) ?? []), i]);
  }
  const mayBegin = new Uint8Array(BUCKETS);
  const marks = new Map<number, Mark[]>();
  for (const [mark, kinds] of kindsOf) {
    const text = Buffer.from(mark);
    const hash = hashOf(text[0] ?? 0, text[1] ?? 0, text[2] ?? 0);
    mayBegin[hash] = 1;
    marks.set(hash, [...(marks.get(hash) ?? []), { text, kinds }]);
  }
  return { mayBegin, marks };
}

function hashOf(first: number, second: number, third: number): number {
  return ((first << 9) ^ (second << 4) ^ third) & (BUCKETS - 1);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
