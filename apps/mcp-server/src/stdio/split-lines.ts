const NEWLINE = 10;
const SPACES: readonly number[] = [0x20, 0x09, 0x0d];

export interface LineHandler {
  /** Gets the bytes of a line, without its newline. They may be overwritten when it returns. */
  onLine(line: Buffer): void;
  onTooLong(): void;
}

/** Splits bytes into lines of at most `maxBytes`, in linear time. Blank lines are skipped. */
export function createLines(maxBytes: number, { onLine, onTooLong }: LineHandler) {
  let parts: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  }

  function finish(): void {
    const [first = Buffer.alloc(0), ...rest] = parts;
    const line = rest.length === 0 ? first : Buffer.concat(parts);
    const isTooLong = length > maxBytes;
    parts = [];
    length = 0;
    if (isTooLong) onTooLong();
    else if (!line.every((byte) => SPACES.includes(byte))) onLine(line);
  }

  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    end: finish,
  };
}
