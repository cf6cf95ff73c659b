import fs from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { ToolError } from '@jinn/core/errors';
import { MAX_SOCKET_PATH, makeOwnDirectory } from '@jinn/workspace';
import { readMessage } from '../journal/journal-record.ts';
import { liveFile, readLivePage, removeOld } from '../journal/write-journal.ts';

const RENEW_MS = 10_000;
const ANSWER_MS = 2_000;

/**
 * Makes the directory of the journal, and removes calls that are too old. Throws `permission_denied` if others can enter it,
 * or if it cannot be made.
 */
export function openDirectory(directory: string): void {
  if (!makeOwnDirectory(directory)) {
    throw new ToolError('permission_denied', `${directory} cannot be made, or is open to other users`, {
      suggestion: 'remove it: jinn creates it again',
    });
  }
  removeOld(directory);
}

/** Returns the socket by which calls find the page, or undefined if the path is too long for the system. */
export function socketPath(directory: string): string | undefined {
  const path = `${directory}/ui.sock`;
  return path.length > MAX_SOCKET_PATH ? undefined : path;
}

interface MarkOptions {
  /** Where calls ask. Undefined if they cannot. */
  readonly socket?: string | undefined;
  /** True if this process gives way to another one that marks itself as live. */
  readonly yields?: boolean;
}

/** Marks that someone watches, until it is stopped: calls are then recorded, and can ask at the socket. */
export function markLive(directory: string, { socket, yields = false }: MarkOptions): () => void {
  const file = liveFile(directory);
  const isAnothers = () => (readLivePage(directory)?.pid ?? process.pid) !== process.pid;
  const mark = () => {
    if (yields && isAnothers()) return;
    fs.writeFileSync(file, JSON.stringify({ pid: process.pid, socket }), { mode: 0o600 });
  };
  mark();
  const renew = setInterval(() => makeOwnDirectory(directory) && mark(), RENEW_MS);
  return () => {
    clearInterval(renew);
    if (!isAnothers()) fs.rmSync(file, { force: true });
    if (socket !== undefined) fs.rmSync(socket, { force: true });
  };
}

/** Asks a page that already runs for its address. Undefined if none answers. */
export async function askRunningPage(directory: string): Promise<string | undefined> {
  const path = readLivePage(directory)?.socket;
  if (path === undefined) return undefined;
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write('{"k":"open"}\n'));
    const settle = (address?: string) => {
      socket.destroy();
      resolve(address);
    };
    socket.setTimeout(ANSWER_MS, () => settle());
    socket.on('error', () => settle());
    socket.on('close', () => settle());
    createInterface({ input: socket }).on('line', (line) => {
      const { address } = Object(readMessage(line));
      settle(address);
    });
  });
}
