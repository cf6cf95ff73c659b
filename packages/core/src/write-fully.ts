import fs from 'node:fs';

/** How long to wait for a reader that the system does not wait for. */
const RETRY_MS = 2;

/**
 * Writes all of it to a descriptor, a full pipe that does not block included; without Node's stream, which takes a part
 * of a start. Throws the system's error, `EPIPE` when the reader has gone away.
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
