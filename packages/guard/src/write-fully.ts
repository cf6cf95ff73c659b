import fs from 'node:fs';

/** The wait between two tries, if a pipe that does not block is full. */
const RETRY_MS = 2;

/**
 * Writes all bytes to a descriptor, and waits while a pipe is full. It does without Node's streams, whose loading takes a
 * part of a start. Throws the system's error: `EPIPE` if the reader has gone away.
 */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
