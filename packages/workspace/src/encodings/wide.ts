/** How much of a content decides. */
const SAMPLE_BYTES = 4_000;
/** The shortest text in UTF-16 or UTF-32 that is found without a mark, in characters. */
const LEAST_CHARACTERS = 8;
const MARKS: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns the encoding that a byte order mark names, or undefined if there is none. */
export function markedEncoding(content: Uint8Array): string | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, i) => content[i] === byte))?.[0];
}

/**
 * Finds UTF-16 and UTF-32 by the start of a content of `size` bytes: by a byte order mark, or without one, if a good part of
 * the text is ASCII. Undefined if it is neither.
 */
export function wideEncoding(content: Buffer, size = content.length): string | undefined {
  const sample = content.subarray(0, SAMPLE_BYTES);
  const marked = markedEncoding(sample);
  if (marked !== undefined) return isReadable(decodeWide(sample, marked)) ? marked : undefined;
  if (!hasManyNuls(sample)) return undefined;
  return MARKS.find(([name]) => size % widthOf(name) === 0 && isText(decodeWide(sample, name)))?.[0];
}

/** Each character of ASCII has a NUL in UTF-16, and all characters have one in UTF-32. */
function hasManyNuls(sample: Buffer): boolean {
  let count = 0;
  for (let at = sample.indexOf(0); at >= 0; at = sample.indexOf(0, at + 1)) count++;
  return 8 * count >= sample.length;
}

/** Reports whether the start of a decoded content is text. */
function isReadable(text: string): boolean {
  return !text.includes('\0') && 100 * (text.split('\ufffd').length - 1) <= text.length;
}

function isText(text: string): boolean {
  const ascii = text.match(/[\t\n\r -~]/g)?.length ?? 0;
  const isSound = !/[\ufffd\p{Cn}\p{Co}]/u.test(text) && !hasControls(text);
  return isSound && text.length >= LEAST_CHARACTERS && 4 * ascii >= text.length;
}

/** Reports whether a text has more control characters than texts have. Some have tabs, line ends, backspaces and escapes. */
export function hasControls(text: string): boolean {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x7f || (code < 0x20 && (code < 8 || code > 13) && code !== 0x1b)) count++;
  }
  return 32 * count > text.length;
}

function decodeWide(bytes: Uint8Array, name: string): string {
  const code = new WideCode(name);
  let text = '';
  for (let at = 0; at < bytes.length; at += code.length) {
    const point = code.pointAt(bytes, at);
    text += point < 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  }
  return text;
}

function widthOf(name: string): 2 | 4 {
  return name.includes('32') ? 4 : 2;
}

/** UTF-16 or UTF-32. */
export class WideCode {
  /** How many bytes the last character had. */
  length = 1;
  readonly #width: 2 | 4;
  readonly #isLittle: boolean;

  constructor(name: string) {
    this.#width = widthOf(name);
    this.#isLittle = name.endsWith('le');
  }

  pointAt(bytes: Uint8Array, at: number): number {
    const first = this.#unitAt(bytes, at);
    this.length = first < 0 ? bytes.length - at : this.#width;
    if (this.#width === 4 || first < 0xd800 || first > 0xdfff) return isSurrogate(first) ? -1 : first;
    const second = first < 0xdc00 ? this.#unitAt(bytes, at + 2) : -1;
    if (second < 0xdc00 || second > 0xdfff) return -1;
    this.length = 4;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  bytesOf(point: number): Uint8Array {
    if (this.#width === 4) return this.#write([point]);
    const units = point > 0xffff ? [0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff)] : [point];
    return this.#write(units);
  }

  /** Returns a unit, or -1 if there are too few bytes. */
  #unitAt(bytes: Uint8Array, at: number): number {
    if (at + this.#width > bytes.length) return -1;
    let unit = 0;
    for (let i = 0; i < this.#width; i++) {
      unit = unit * 256 + (bytes[this.#isLittle ? at + this.#width - 1 - i : at + i] as number);
    }
    return unit;
  }

  #write(units: readonly number[]): Uint8Array {
    const bytes = units.flatMap((unit) => Array.from({ length: this.#width }, (_, i) => (unit >>> (8 * i)) & 0xff));
    if (this.#isLittle) return Uint8Array.from(bytes);
    const width = this.#width;
    return Uint8Array.from(bytes, (_, i) => bytes[i - (i % width) + width - 1 - (i % width)] as number);
  }
}

export function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}
