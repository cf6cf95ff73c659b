import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** The code in the address is good for so long. */
const FILE_MS = 60_000;

/**
 * Opens an address in the browser. Security: the browser gets the name of a file that only the user can read and that leads
 * to the address, since everybody on the machine sees the arguments of programs. Returns what removes the file.
 */
export function openBrowser(directory: string, address: string): () => void {
  const file = `${directory}/open.html`;
  const remove = () => fs.rmSync(file, { force: true });
  remove();
  fs.writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, {
    mode: 0o600,
    flag: 'wx',
  });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Where there is no such program, the person opens the address that is printed.
  spawn(program, [file], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
  setTimeout(remove, FILE_MS).unref();
  return remove;
}
