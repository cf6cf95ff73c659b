import fs from 'node:fs';

const MAX_LINE = 256;

/** Returns the interpreter that the first line of a script names; undefined if it names none. */
export function interpreterOf(file: string): string[] {
  const [line = ''] = head(file).split('\n');
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/).slice(0, 1) : [];
}

function head(file: string): string {
  try {
    const descriptor = fs.openSync(file, 'r');
    const buffer = Buffer.alloc(MAX_LINE);
    const length = fs.readSync(descriptor, buffer, 0, MAX_LINE, 0);
    fs.closeSync(descriptor);
    return buffer.toString('latin1', 0, length);
  } catch {
    return ''; // It cannot be read, so its interpreter is not known.
  }
}
