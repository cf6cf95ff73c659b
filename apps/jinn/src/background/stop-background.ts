import fs from 'node:fs';
import path from 'node:path';
import { makeOwnDirectory } from '@jinn/workspace';
import { reach, SILENCE_MS } from './ask-background.ts';
import { readToken, removeSocket, workspaceKey } from './background-place.ts';

const SOCKET = '.sock';

/** Stops the background processes of a workspace, or all of the user's, and waits for their end. Returns how many there were. */
export async function stopBackground(cache: string | undefined, root: string | undefined): Promise<number> {
  const directory = cache === undefined ? undefined : path.join(cache, 'servers');
  if (directory === undefined || !makeOwnDirectory(directory)) return 0;
  const begin = root === undefined ? '' : `${workspaceKey(root)}-`;
  const sockets = fs.readdirSync(directory).filter((name) => name.startsWith(begin) && name.endsWith(SOCKET));
  const stopped = await Promise.all(sockets.map((name) => stop(path.join(directory, name))));
  return stopped.filter(Boolean).length;
}

async function stop(file: string): Promise<boolean> {
  const { socket, inode } = await reach(file);
  if (!socket) {
    removeSocket(file, inode);
    return false;
  }
  socket.resume();
  socket.write(`${readToken(path.dirname(file))} stop\n`);
  return new Promise((resolve) => {
    socket.on('close', () => resolve(true));
    socket.setTimeout(SILENCE_MS, () => {
      // A process that is stopped ends once it goes on and finds its socket gone.
      removeSocket(file, inode);
      resolve(false);
      socket.destroy();
    });
  });
}
