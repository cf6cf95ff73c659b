import fs from 'node:fs';
import { createLog, type Log } from '../log.ts';
import { whyNotTaken } from '../named-file.ts';

/** A log that grows larger is renamed to FILE.1, over an older one. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Returns where the older part of a log is. */
export function olderOf(file: string): string {
  return `${file}.1`;
}

/** Opens the log of the operator: a file, or standard error. Throws an Error for a file that cannot be written. */
export function openLog(file: string | undefined): Log {
  if (file === undefined) return createLog((text) => void process.stderr.write(text), { isFile: false });
  const open = () => {
    const opened = fs.openSync(file, 'a', 0o600);
    if (fs.fstatSync(opened).isFile()) fs.fchmodSync(opened, 0o600);
    return opened;
  };
  let fd = openFirst(file, open);
  let size = fs.fstatSync(fd).size;
  const append = (text: string) => {
    if (size > MAX_LOG_BYTES) {
      fs.renameSync(file, olderOf(file));
      fs.closeSync(fd);
      fd = open();
      size = 0;
    }
    size += fs.writeSync(fd, text);
  };
  return createLog(append, { isFile: true });
}

/** Opens the log for the first time: a directory that is missing is a fault of the command line. */
function openFirst(file: string, open: () => number): number {
  try {
    return open();
  } catch (error) {
    throw new Error(whyNotTaken(file, error));
  }
}
