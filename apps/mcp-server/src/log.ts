import { toVisibleJson, toVisibleLines } from '@jinn/core/text';
import { thinOut } from './audit/thin-out.ts';

/** A line that is longer loses its arguments and paths. */
const MAX_LINE = 32 * 1024;
const MAX_MESSAGE = 4 * 1024;

export interface Log {
  /** True for a file, which gets all events. Standard error gets errors and the lines of tools only. */
  readonly isFile: boolean;
  /** Writes a line of a tool for the operator. */
  line(text: string): void;
  /** Writes an error inside of jinn. */
  failure(error: unknown): void;
  /** Writes that something happened, to a file alone. */
  event(event: string, facts: object): void;
  /** Writes the lines that wait. */
  flush(): void;
}

export interface LogOptions {
  /** True to log each event, and the time of each line. */
  readonly isFile: boolean;
}

/** Makes a log: in a file, one JSON object a line; on standard error, only errors and the lines of tools, as plain text. */
export function createLog(write: (text: string) => void, { isFile }: LogOptions): Log {
  if (!isFile) {
    return {
      isFile,
      line: (text) => write(`${toVisibleLines(text)}\n`),
      failure: (error) => write(`${describe(error)}\n`),
      event: () => undefined,
      flush: () => undefined,
    };
  }
  const event = (name: string, facts: object) =>
    write(`${toLine({ time: new Date().toISOString(), event: name, ...facts })}\n`);
  // Anybody who reaches the port may be able to make something fail.
  const failures = thinOut((facts) => {
    try {
      event('failure', facts);
    } catch {
      // There is no other place to report it.
    }
  });
  return {
    isFile,
    line: (message) => event('line', { message: message.slice(0, MAX_MESSAGE) }),
    failure: (error) => {
      const text = describe(error).slice(0, MAX_MESSAGE);
      failures.add(text, { error: text }, { kind: 'rest', facts: { first: text } });
    },
    event,
    flush: failures.flush,
  };
}

/** Writes facts as one line. Security: foreign text can neither end the line nor drive the terminal of who reads it. */
export function toLine(facts: object): string {
  const line = toVisibleJson(facts);
  return line.length <= MAX_LINE ? line : toVisibleJson({ ...facts, args: undefined, paths: undefined, cut: true });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? `${error.stack}` : `${error.stack}\ncaused by ${describe(error.cause)}`;
}
