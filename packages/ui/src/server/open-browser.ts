import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** How long the file lives: the code in the address expires then. */
const FILE_MS = 60_000;

/**
 * Opens an address in the browser. Security: everybody on the machine sees the arguments of programs, so the browser
 * gets the name of a file that leads to the address and that only the user can read. Returns a function that removes
 * the file.
 */
export function openBrowser(directory: string, address: string, env: NodeJS.ProcessEnv): () => void {
  const file = `${directory}/open.html`;
  const remove = () => fs.rmSync(file, { force: true });
  remove();
  fs.writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, {
    mode: 0o600,
    flag: 'wx',
  });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without such a program, the person opens the printed address.
  spawn(program, [file], { stdio: 'ignore', detached: true, env })
    .on('error', () => undefined)
    .unref();
  setTimeout(remove, FILE_MS).unref();
  return remove;
}
