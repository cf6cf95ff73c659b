import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { compilePattern } from '@jinn/core/regex';
import { MatchThread } from '@jinn/core/thread';
import { isListening } from '@jinn/process';

const TICK_MS = 100;
/** How long matching may take in all. */
const PATTERN_MS = 5_000;
const LAST_PORT = 65_535;

export interface WaitCondition {
  isThere(output: () => string): Promise<boolean>;
  close(): void;
}

/** Parses the condition of a wait: a port by its number, or a pattern in the output. Throws ToolError. */
export function toCondition(wanted: string | number): WaitCondition {
  const text = String(wanted);
  return /^:?\d+$/.test(text) ? atPort(Number(text.replace(':', ''))) : inOutput(text);
}

function atPort(port: number): WaitCondition {
  if (port >= 1 && port <= LAST_PORT) return { isThere: () => isListening(port), close: () => {} };
  throw new ToolError('invalid_args', `wait_for: ${port} is not a port`, { suggestion: 'a port is 1 to 65535' });
}

/** Looks for a pattern in the output, on a thread of its own, since a pattern may take any time. */
function inOutput(pattern: string): WaitCondition {
  const suggestion = 'give a regular expression for a line of the output, or the number of a port';
  const { js, flags } = compilePattern({ pattern, lines: 'single', caseInsensitive: false, suggestion });
  let thread: MatchThread | undefined;
  let seen = '';
  return {
    isThere: async (output) => {
      const text = output();
      if (text === seen) return false;
      seen = text;
      thread ??= new MatchThread({ js, flags, crossesLines: false }, PATTERN_MS, undefined);
      const [matches] = await thread.ask({ texts: [text], limit: 0 });
      return (matches?.count ?? 0) > 0;
    },
    close: () => void thread?.close(),
  };
}

export interface WaitRequest {
  readonly condition: WaitCondition;
  readonly seconds: number;
  output(): string;
  hasEnded(): boolean;
}

/**
 * Waits until the condition is met, the command has ended, or the call is canceled. Returns false if the time is over
 * first.
 */
export async function waitForCondition(
  { condition, seconds, output, hasEnded }: WaitRequest,
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<boolean> {
  const end = process.uptime() + seconds;
  try {
    while (!(await condition.isThere(output)) && !hasEnded() && !signal?.aborted) {
      if (process.uptime() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    return true;
  } finally {
    condition.close();
  }
}
