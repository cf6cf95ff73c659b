import { toVisibleLines } from '@jinn/core';

export interface Log {
  /** Writes a line of a tool for the operator. */
  line(text: string): void;
  /** Writes an error inside of jinn. */
  failure(error: unknown): void;
  /** Writes that a call was answered; never its arguments or its result. */
  call(call: { tool: string; ms: number; ok: boolean; code: string | undefined }): void;
}

export interface LogOptions {
  /** True to log each call, and the time of each line. */
  readonly isFile: boolean;
}

/** Makes a log: in a file, one JSON object a line; on standard error, only errors and the lines of tools, as plain text. */
export function createLog(write: (text: string) => void, { isFile }: LogOptions): Log {
  const entry = (event: string, facts: object) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), event, ...facts })}\n`);
  if (!isFile) {
    return {
      line: (text) => write(`${toVisibleLines(text)}\n`),
      failure: (error) => write(`${describe(error)}\n`),
      call: () => undefined,
    };
  }
  return {
    line: (message) => entry('line', { message }),
    failure: (error) => entry('failure', { error: describe(error) }),
    call: ({ tool, ms, ok, code }) => entry('call', { tool, ms: Math.round(ms * 10) / 10, ok, code }),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? `${error.stack}` : `${error.stack}\ncaused by ${describe(error.cause)}`;
}
