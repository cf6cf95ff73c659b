import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { toVisibleJson } from '@jinn/core/text';
import { whyNotTaken } from '../named-file.ts';

const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** A line that is longer loses its arguments and paths. */
const MAX_LINE = 32 * 1024;
const MAX_MESSAGE = 4 * 1024;

/** The log of the operator: a file of JSON lines, or standard error. */
export interface OperatorLog {
  line(text: string): void;
  failure(error: unknown): void;
}

/** Records what happened. */
export interface AuditLog {
  event(name: string, facts: object): void;
  /** Records an event before it is done. Throws `unavailable` if that fails: then it must not be done. */
  assure(name: string, facts: object): Promise<void>;
  /** Returns how many events wait to be written, and how many could not be. */
  backlog(): { readonly waiting: number; readonly lost: number };
  close(): Promise<void>;
}

/** Reports whether users have names. With `reload`, after a look whether their tokens have changed. */
type HasNamedPeople = (options: { readonly reload: boolean }) => boolean;

export interface LogFile extends OperatorLog {
  audit(workspace: string): AuditLog;
  /** Lets the log rotate by itself while no users have names. It is kept whole until then. */
  rotate(hasNamedPeople?: HasNamedPeople): void;
  /** Begins a new file if the old one was moved away. Throws the error of the system. */
  reopen(): void;
}

/** Returns the name of the older part of a log. */
export function olderOf(file: string): string {
  return `${file}.1`;
}

/** Opens a private log file. `describe` writes an error as text. Throws an Error for the operator if it cannot be written. */
export function openLogFile(file: string, describe: (error: unknown) => string): LogFile {
  let fd = openFirst(file);
  let size = fs.fstatSync(fd).size;
  let mustStay = () => true;
  let isTorn = false;
  const reopen = () => {
    const next = openPrivate(file);
    fs.closeSync(fd);
    fd = next;
  };
  const event = (name: string, facts: object) => {
    if (size > MAX_LOG_BYTES && !mustStay()) {
      fs.renameSync(file, olderOf(file));
      reopen();
      size = 0;
    }
    const text = `${toLogLine({ time: new Date().toISOString(), event: name, ...facts })}\n`;
    const line = isTorn ? `\n${text}` : text;
    const written = fs.writeSync(fd, line);
    size += written;
    // A disk that becomes full takes a part of the line and reports no error.
    isTorn = written < Buffer.byteLength(line);
    if (isTorn) throw new Error(`${file}: only a part of a line could be written`);
  };
  const failure = (error: unknown) => {
    try {
      event('failure', { error: describe(error).slice(0, MAX_MESSAGE) });
    } catch {
      // There is no other place to report it.
    }
  };
  return {
    failure,
    reopen,
    line: (message) => event('line', { message: message.slice(0, MAX_MESSAGE) }),
    audit: (workspace) => auditInFile(event, workspace),
    rotate: (hasNamedPeople) => {
      mustStay = () => hasNamedPeople?.({ reload: false }) === true;
    },
  };
}

function auditInFile(write: AuditLog['event'], workspace: string): AuditLog {
  let lost = 0;
  return {
    backlog: () => ({ waiting: 0, lost }),
    event: (name, facts) => {
      try {
        write(name, { workspace, ...facts });
      } catch {
        // It has happened. The next call that must be on record fails.
        lost++;
      }
    },
    assure: async (name, facts) => {
      try {
        write(name, { workspace, ...facts });
      } catch (error) {
        throw cannotBeWritten(error);
      }
    },
    close: async () => {},
  };
}

/** Makes the error for a call that must be on record, and cannot be. */
export function cannotBeWritten(cause: unknown): ToolError {
  return new ToolError('unavailable', 'the audit log cannot be written, so the call was not run', {
    suggestion: 'send it again in a moment. If it fails again, tell the operator',
    cause,
  });
}

/** Writes facts as one line. Security: foreign text can neither end the line nor control the terminal of its reader. */
export function toLogLine(facts: object): string {
  const line = toVisibleJson(facts);
  return line.length <= MAX_LINE ? line : toVisibleJson({ ...facts, args: undefined, paths: undefined, cut: true });
}

function openPrivate(file: string): number {
  const opened = fs.openSync(file, 'a', 0o600);
  if (fs.fstatSync(opened).isFile()) fs.fchmodSync(opened, 0o600);
  return opened;
}

function openFirst(file: string): number {
  try {
    return openPrivate(file);
  } catch (error) {
    throw new Error(whyNotTaken(file, error));
  }
}
