import { spawn } from 'node:child_process';
import { findPrograms } from './system-files.ts';

const LIMIT_MS = 5_000;

export interface ClipboardProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** Finds the clipboard program for the desktop that the variables name, or undefined if there is none on the PATH. */
export function findClipboard(variables: NodeJS.ProcessEnv, platform = process.platform): ClipboardProgram | undefined {
  const found = candidates(variables, platform).map(([name = '', ...args]) => {
    const [command] = findPrograms(name, variables['PATH'] ?? '');
    return command === undefined ? undefined : { command, args };
  });
  return found.find((program) => program !== undefined);
}

function candidates(variables: NodeJS.ProcessEnv, platform: string): string[][] {
  if (platform === 'darwin') return [['pbcopy']];
  return [
    ...(variables['WAYLAND_DISPLAY'] ? [['wl-copy']] : []),
    ...(variables['DISPLAY']
      ? [
          ['xsel', '-b', '-i'],
          ['xclip', '-selection', 'clipboard'],
        ]
      : []),
    ...(variables['WSL_DISTRO_NAME'] ? [['clip.exe']] : []),
  ];
}

/** Passes chunks to a clipboard program. Returns the error as a text that follows its name, if there is one. */
export function copyToClipboard(
  { command, args }: ClipboardProgram,
  chunks: readonly Buffer[],
  limitMs = LIMIT_MS,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve(`took longer than ${limitMs / 1000} seconds`);
    }, limitMs);
    const finish = (fault: string | undefined) => {
      clearTimeout(timer);
      resolve(fault);
    };
    child.once('error', () => finish('could not be started'));
    child.once('exit', (status) => finish(status === 0 ? undefined : `ended with status ${status}`));
    child.stdin.on('error', () => {}); // It may end without reading. Its status shows that.
    for (const chunk of chunks) child.stdin.write(chunk);
    child.stdin.end();
  });
}
