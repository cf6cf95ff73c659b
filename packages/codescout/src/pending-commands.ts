import { type ToolContext, ToolError } from '@jinn/core';
import { newId, recordName } from './buffers.ts';

const HANDLE = /^\s*@ack_([0-9a-f]{8})\s*$/;

/**
 * Keeps a refused command under a handle, by which the agent may send it again where the operator allows that. The handle
 * is a record on the disk, so that a process that serves the next call finds it. Returns undefined if it cannot be kept.
 */
export function keepPending(ctx: ToolContext, command: string): string | undefined {
  const id = newId('ack');
  return ctx.spill.records.put(recordName(ctx, id), JSON.stringify({ command })) ? `@${id}` : undefined;
}

/** Returns the command that a handle stands for; undefined for a text that is no handle. Throws `not_found`. */
export function findPending(ctx: ToolContext, text: string): string | undefined {
  const [, digits] = HANDLE.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const record = ctx.spill.records.get(recordName(ctx, `ack_${digits}`));
  if (record !== undefined) return (JSON.parse(record) as { command: string }).command;
  throw new ToolError('not_found', `no command waits for an approval under @ack_${digits}`, {
    suggestion: 'send the command itself',
  });
}
