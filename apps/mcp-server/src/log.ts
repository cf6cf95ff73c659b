export interface Log {
  /** What a tool says to the operator. */
  line(text: string): void;
  /** What went wrong inside. */
  failure(error: unknown): void;
  /** A call that was answered; never its arguments or its result. */
  call(call: { tool: string; ms: number; ok: boolean; code: string | undefined }): void;
}

export interface LogOptions {
  /** Whether to tell of each call, and when each line was written. */
  readonly isFile: boolean;
}

/** A JSON object a line in a file; on standard error, only what goes wrong or a tool says, as it is. */
export function createLog(write: (text: string) => void, { isFile }: LogOptions): Log {
  const entry = (event: string, facts: object) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), event, ...facts })}\n`);
  if (!isFile) {
    return {
      line: (text) => write(`${text}\n`),
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
