import { countLineFeeds } from '@jinn/core/text/counted';
import { PRIVATE_KEY, SECRET_KINDS, type SecretKind, secretsOf } from '@jinn/workspace/secrets/content';

/** How much of a long line is searched before and after a mark. */
const AROUND = 512;
const NEWLINE = 0x0a;
const PAIRS = 1 << 16;

interface Mark {
  readonly text: Buffer;
  readonly first: number;
  readonly third: number;
  readonly kind: number;
  mayFollow(chunk: Buffer, at: number): boolean;
}

/** By two bytes: the number of newlines in them, above that the number of a list of marks. */
interface PairTable {
  readonly of: Uint16Array;
  /** The marks that start at the first byte, and those that start at the byte before it. */
  readonly lists: readonly (readonly [at: readonly Mark[], before: readonly Mark[]])[];
}

let table: PairTable | undefined;

/** Calls `onSecret` once for each line with a secret. Returns the number of the line after the chunk. */
export function findSecrets(chunk: Buffer, firstLine: number, onSecret: (line: number, what: string) => void): number {
  const scan = new Scan(chunk);
  let [line, counted, told] = [firstLine, 0, 0];
  for (const { at, what } of scan.run()) {
    line += countLineFeeds(chunk.subarray(counted, at));
    counted = at;
    if (line !== told) onSecret(line, what);
    told = line;
  }
  return firstLine + scan.newlines;
}

interface FoundSecret {
  readonly at: number;
  readonly kind: number;
  readonly what: string;
}

/** Reads every two bytes once, and looks for a secret only around a mark of its kind. */
class Scan {
  newlines = 0;
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
    const chunk = this.#chunk;
    const isAligned = chunk.byteOffset % 2 === 0;
    const { buffer, byteOffset, length } = isAligned ? chunk : new Uint8Array(chunk);
    const pairs = new Uint16Array(buffer, byteOffset, length >> 1);
    const { of, lists } = table;
    let newlines = 0;
    for (let i = 0; i < pairs.length; i++) {
      const value = of[pairs[i] as number] as number;
      newlines += value & 3;
      if (value < 4) continue;
      const [at, before] = lists[value >> 2] as PairTable['lists'][number];
      const [first, third] = [chunk[2 * i - 1], chunk[2 * i + 2]];
      for (const mark of before) if (mark.first === first) this.#lookFor(mark, 2 * i - 1);
      for (const mark of at) if (mark.third === third) this.#lookFor(mark, 2 * i);
    }
    this.newlines = newlines + (length % 2 === 1 && chunk[length - 1] === NEWLINE ? 1 : 0);
    return this.#found.sort((a, b) => a.at - b.at || a.kind - b.kind);
  }

  #lookFor({ text, kind, mayFollow }: Mark, at: number): void {
    const chunk = this.#chunk;
    for (let i = 0; i < text.length; i++) if (chunk[at + i] !== text[i]) return;
    const end = at + text.length;
    if (at >= (this.#searched[kind] as number) && mayFollow(chunk, end)) this.#search(at, kind, text.length);
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

function makeTable(): PairTable {
  const of = new Uint16Array(PAIRS);
  for (let byte = 0; byte < 256; byte++) {
    for (const pair of [pairOf(NEWLINE, byte), pairOf(byte, NEWLINE)]) of[pair] = (of[pair] as number) + 1;
  }
  const lists: [Mark[], Mark[]][] = [[[], []]];
  const listOf = (pair: number) => {
    const known = lists[(of[pair] as number) >> 2];
    if (known && known !== lists[0]) return known;
    const made: [Mark[], Mark[]] = [[], []];
    of[pair] = (of[pair] as number) | ((lists.push(made) << 2) - 4);
    return made;
  };
  for (const [kind, { marks, shape }] of SECRET_KINDS.entries()) {
    for (const name of marks) {
      const text = Buffer.from(name);
      const [first = 0, second = 0, third = 0] = text;
      const mayFollow = shape.source.startsWith('(?<name>') ? assigns(name) : follows(name, shape);
      const mark = { text, first, third, kind, mayFollow };
      listOf(pairOf(first, second))[0].push(mark);
      listOf(pairOf(second, third))[1].push(mark);
    }
  }
  return { of, lists };
}

const [FIRST] = new Uint8Array(Uint16Array.of(1).buffer);

function pairOf(first: number, second: number): number {
  return FIRST === 1 ? first | (second << 8) : (first << 8) | second;
}

const RUN = /^(?:\(\?<\w+>)?(?<set>\[[^\]]+\])\{(?<least>\d+)(?:,(?<most>\d+)\}\)(?<end>\w|:))?/;

/** A shape may say how many characters of a set follow its mark, and which one ends them. Most words that are marks have others. */
function follows(mark: string, { source, flags }: RegExp): Mark['mayFollow'] {
  const [, after = ''] = source.replaceAll('\\/', '/').split(mark);
  const { set, least = '0', most = least, end } = RUN.exec(after)?.groups ?? {};
  if (set === undefined) return () => true;
  let allowed: boolean[] | undefined;
  return (chunk, from) => {
    allowed ??= Array.from({ length: 256 }, (_, byte) => new RegExp(set, flags).test(String.fromCharCode(byte)));
    const at = skip(allowed, Number(most), chunk, from);
    return at - from >= Number(least) && (end === undefined || chunk[at] === end.charCodeAt(0));
  };
}

const KEY = Buffer.from('key');
const KEY_OWNERS = /^(?:api|access|private|auth|account|encryption|signing|shared)$/i;
const MAX_NAME = 64;
const IN_NAME = Array.from({ length: 256 }, (_, byte) => /[\w-]/.test(String.fromCharCode(byte)));
const CLOSES_NAME = Array.from({ length: 256 }, (_, byte) => /["'\]]/.test(String.fromCharCode(byte)));
const ENDS_NAME = Array.from({ length: 256 }, (_, byte) => /[\s:=,(>]/.test(String.fromCharCode(byte)));

/** The name that a value is assigned to ends before a blank or a sign, perhaps behind quotes. */
function assigns(mark: string): Mark['mayFollow'] {
  const isOwner = KEY_OWNERS.test(mark);
  return (chunk, from) => {
    const start = isOwner ? endOfKey(chunk, from) : from;
    if (start === undefined) return false;
    const name = skip(IN_NAME, MAX_NAME, chunk, start);
    return ENDS_NAME[chunk[skip(CLOSES_NAME, 2, chunk, name)] ?? 0] === true;
  };
}

function endOfKey(chunk: Buffer, from: number): number | undefined {
  const at = chunk[from] === 0x5f || chunk[from] === 0x2d ? from + 1 : from;
  return KEY.every((letter, i) => ((chunk[at + i] ?? 0) | 0x20) === letter) ? at + KEY.length : undefined;
}

function skip(set: readonly boolean[], most: number, chunk: Buffer, from: number): number {
  let at = from;
  while (at < from + most && set[chunk[at] ?? 0]) at++;
  return at;
}
