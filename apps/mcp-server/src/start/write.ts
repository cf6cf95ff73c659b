import { writeFully } from '@jinn/core';

/** Writes to standard output. Returns false if the reader has gone away. */
export function write(text: string): boolean {
  try {
    writeFully(1, Buffer.from(text));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
    throw error;
  }
}

/** Reserves standard output for the protocol: whatever else is printed goes to standard error. */
export function claimStandardOutput(): (text: string) => boolean {
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
  return write;
}

/** Warns the operator at the start. */
export function warn(line: string): void {
  process.stderr.write(`jinn-mcp: ${line}\n`);
}
