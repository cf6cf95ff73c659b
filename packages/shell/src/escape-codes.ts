const ESCAPE = 0x1b;
const BELL = 0x07;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A longer escape code counts as text, so that one without an end does not swallow all that follows. */
const MAX_CODE_BYTES = 4 * 1024;
/** `[`, behind which the parameters of a code stand. */
const CONTROL = 0x5b;
/** `]`, `P`, `X`, `^` and `_`: a string follows, up to a bell or `ESC \`. */
const STRINGS = new Set([0x5d, 0x50, 0x58, 0x5e, 0x5f]);

/**
 * Removes the escape codes of terminals (ECMA-48) from chunks of output. A code that moves to the start of the line
 * becomes a carriage return.
 */
export class EscapeCodes {
  readonly #keepsColor: boolean;
  readonly #emit: (bytes: Buffer) => void;
  /** The beginning of a code that goes on in the next chunk. */
  #held: Buffer | undefined;

  constructor({ keepsColor }: { keepsColor: boolean }, emit: (bytes: Buffer) => void) {
    this.#keepsColor = keepsColor;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    if (this.#held) this.#remove(Buffer.concat([this.#held, chunk]), false);
    else if (chunk.includes(ESCAPE)) this.#remove(chunk, false);
    else this.#emit(chunk);
  }

  finish(): void {
    if (this.#held) this.#remove(this.#held, true);
  }

  /** Copies byte by byte: codes may be dense, and a call of Buffer for each would take longer than the rest. */
  #remove(bytes: Buffer, isEnd: boolean): void {
    const kept = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    this.#held = undefined;
    for (let at = 0; at < bytes.length; ) {
      if (bytes[at] !== ESCAPE) {
        kept[length++] = bytes[at++] as number;
        continue;
      }
      const end = endOfCode(bytes, at) ?? (isEnd ? at + 1 : bytes.length + 1);
      if (end > bytes.length) this.#held = Buffer.from(bytes.subarray(at));
      else if (isLineStart(bytes, at, end)) kept[length++] = RETURN;
      else if (this.#keepsColor && isColor(bytes, at, end)) length += bytes.copy(kept, length, at, end);
      at = end;
    }
    if (length > 0) this.#emit(kept.subarray(0, length));
  }
}

/** Reports whether a code erases the line or moves to its beginning: `[2K`, `[G`, `[0G`, `[1G`. */
function isLineStart(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 1] !== CONTROL) return false;
  const [final, parameter] = [bytes[end - 1], bytes[at + 2] as number];
  if (final === 0x4b) return end === at + 4 && parameter === 0x32;
  return final === 0x47 && (end === at + 3 || (end === at + 4 && (parameter === 0x30 || parameter === 0x31)));
}

function isColor(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 1] !== CONTROL || bytes[end - 1] !== 0x6d) return false;
  for (let i = at + 2; i < end - 1; i++) if ((bytes[i] as number) < 0x30 || (bytes[i] as number) > 0x3b) return false;
  return true;
}

function endOfCode(bytes: Buffer, at: number): number | undefined {
  const kind = bytes[at + 1];
  if (kind === undefined) return undefined;
  if (STRINGS.has(kind)) return endOfString(bytes, at);
  const first = kind === CONTROL ? at + 2 : at + 1;
  // Parameters are 0x30 to 0x3f and intermediate bytes 0x20 to 0x2f; a code without parameters may end at 0x30.
  const lastInner = kind === CONTROL ? 0x3f : 0x2f;
  const limit = Math.min(bytes.length, at + MAX_CODE_BYTES);
  for (let i = first; i < limit; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x20 && byte <= lastInner) continue;
    return byte > lastInner && byte <= 0x7e ? i + 1 : at + 1;
  }
  return limit < bytes.length ? at + 1 : undefined;
}

function endOfString(bytes: Buffer, at: number): number | undefined {
  const limit = Math.min(bytes.length, at + MAX_CODE_BYTES);
  for (let i = at + 2; i < limit; i++) {
    const byte = bytes[i];
    if (byte === BELL) return i + 1;
    if (byte === NEWLINE) return at + 1;
    if (byte !== ESCAPE) continue;
    if (i + 1 === bytes.length) return undefined;
    return bytes[i + 1] === 0x5c ? i + 2 : at + 1;
  }
  return limit < bytes.length ? at + 1 : undefined;
}
