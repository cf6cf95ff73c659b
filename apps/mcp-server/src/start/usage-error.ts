import { ToolError } from '@jinn/core/errors';

/** The command line is wrong; the message is for the user. */
export class UsageError extends Error {}

/** Runs work whose errors are a fault of this part of the command line. */
export async function asUsageError<T>(part: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(
      `${part && `${part}: `}${(error as Error).message}${error instanceof ToolError ? reasonOf(error) : ''}`,
    );
  }
}

/** Returns the reason that the database itself gives, if it gives one; it has no password in it. */
export function reasonOf({ cause }: Error): string {
  return cause instanceof Error ? `: ${cause.message}` : '';
}
