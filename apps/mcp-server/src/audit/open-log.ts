import fs from 'node:fs';
import { createLog, type Log } from '../log.ts';
import { whyNotTaken } from '../named-file.ts';

/** A log that rotates is renamed to FILE.1, over an older one, when it grows larger. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Returns where the older part of a log is. */
export function olderOf(file: string): string {
  return `${file}.1`;
}

export interface OperatorLog extends Log {
  /** Lets the log rotate. Until then none of it is deleted. */
  rotate(): void;
  /**
   * Leaves rotation to the operator, by a new name and SIGHUP, while `isKept` says so. `wasKept` returns the last
   * answer without a look, because each line of a large log asks.
   */
  keepWhile(isKept: () => boolean, wasKept: () => boolean): void;
}

let isWatched = false;

/**
 * Writes to standard error. If nobody reads it any more, the error is dropped: writing it to this log would make the
 * next error, without end.
 */
function writeToStderr(text: string): void {
  if (!isWatched) process.stderr.on('error', () => undefined);
  isWatched = true;
  process.stderr.write(text);
}

/** Opens the log of the operator: a file, or standard error. Throws an Error for a file that cannot be written. */
export function openLog(file: string | undefined): OperatorLog {
  if (file === undefined) {
    const log = createLog(writeToStderr, { isFile: false });
    return { ...log, rotate: () => undefined, keepWhile: () => undefined };
  }
  const open = () => {
    const opened = fs.openSync(file, 'a', 0o600);
    if (fs.fstatSync(opened).isFile()) fs.fchmodSync(opened, 0o600);
    return opened;
  };
  let fd = openFirst(file, open);
  let size = fs.fstatSync(fd).size;
  let mustStay = () => true;
  let isTorn = false;
  const reopen = () => {
    const next = open();
    fs.closeSync(fd);
    fd = next;
  };
  const append = (text: string) => {
    if (size > MAX_LOG_BYTES && !mustStay()) {
      fs.renameSync(file, olderOf(file));
      reopen();
      size = 0;
    }
    const line = isTorn ? `\n${text}` : text;
    const written = fs.writeSync(fd, line);
    size += written;
    // A disk that becomes full takes a part of the line and reports no error.
    isTorn = written < Buffer.byteLength(line);
    if (isTorn) throw new Error(`${file}: only a part of a line could be written`);
  };
  const log = createLog(append, { isFile: true });
  const rotate = () => {
    mustStay = () => false;
  };
  const keepWhile = (isKept: () => boolean, wasKept: () => boolean) => {
    mustStay = wasKept;
    const onHangUp = () => {
      if (!isKept()) {
        // Ends the process, as it does where nobody listens.
        process.off('SIGHUP', onHangUp);
        process.kill(process.pid, 'SIGHUP');
        return;
      }
      try {
        reopen();
      } catch (error) {
        log.failure(error);
      }
    };
    process.on('SIGHUP', onHangUp);
  };
  return { ...log, rotate, keepWhile };
}

/** Opens the log for the first time: a directory that is missing is a fault of the command line. */
function openFirst(file: string, open: () => number): number {
  try {
    return open();
  } catch (error) {
    throw new Error(whyNotTaken(file, error));
  }
}
