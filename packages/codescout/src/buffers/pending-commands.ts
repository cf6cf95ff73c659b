import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { newId, recordName } from './buffers.ts';

const HANDLE = /^\s*@ack_([0-9a-f]{8})\s*$/;

/** A command that was refused, in the form in which it would run. */
export interface RefusedCommand {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly run_in_background: boolean;
}

/** The command behind a handle. */
export interface PendingCommand {
  readonly call: RefusedCommand;
  /** Ends the handle. Throws `not_found` if it was used meanwhile: it is good for one run. */
  spend(): void;
}

/**
 * Keeps a refused command under a handle, by which the agent may send it again if the operator allows that. The handle
 * is a record on the disk, so that a process that serves the next call finds it. Returns undefined if it cannot be
 * kept.
 */
export function keepPending(ctx: ToolContext, { command, cwd, run_in_background }: RefusedCommand): string | undefined {
  const id = newId('ack');
  const record = JSON.stringify({ command, cwd, run_in_background });
  return ctx.spill.records.put(recordName(ctx, id), record) ? `@${id}` : undefined;
}

/** Returns the command behind a handle; undefined if the text is not a handle. Throws `not_found`. */
export function findPending(ctx: ToolContext, text: string): PendingCommand | undefined {
  const [, digits] = HANDLE.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const name = recordName(ctx, `ack_${digits}`);
  const record = ctx.spill.records.get(name);
  if (record === undefined) throw notPending(digits);
  const spend = () => {
    if (!ctx.spill.records.remove(name)) throw notPending(digits);
  };
  return { call: JSON.parse(record) as RefusedCommand, spend };
}

function notPending(digits: string): ToolError {
  return new ToolError('not_found', `no command waits for an approval under @ack_${digits}`, {
    suggestion: 'send the command itself',
  });
}
