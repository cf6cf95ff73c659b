import type { Spool } from '@jinn/context';
import type { Reporter } from './reporter.ts';
import { isTerminal, ownVariables, variables, writeToTerminal } from './start/jinni-system.ts';

/** The most bytes that terminals take, before they are encoded. */
const MAX_OSC52 = 74_994;

/** Copies a text to the clipboard. Returns false, with a warning, if that failed. */
export type Copier = (printed: Spool) => Promise<boolean>;

/** Finds a way to copy: a program of the desktop, or over ssh the terminal (OSC 52). Undefined if there is none. */
export async function findCopier(reporter: Reporter): Promise<Copier | undefined> {
  const { findClipboard, copyToClipboard } = await import('@jinn/process/clipboard');
  // The user chooses the program of the clipboard by their own PATH, like in their shell.
  const program = findClipboard({ ...ownVariables() });
  if (program) {
    const name = program.command.slice(program.command.lastIndexOf('/') + 1);
    return async (printed) => {
      const fault = await copyToClipboard(program, printed.chunks());
      if (fault !== undefined) reporter.warn(`not copied to the clipboard: ${name} ${fault}`);
      return fault === undefined;
    };
  }
  const { SSH_CONNECTION, SSH_TTY, SSH_CLIENT } = variables();
  const isRemote = Boolean(SSH_CONNECTION || SSH_TTY || SSH_CLIENT);
  return isRemote && (isTerminal(1) || isTerminal(2))
    ? async (printed) => copyByTerminal(printed, reporter)
    : undefined;
}

function copyByTerminal(spool: Spool, reporter: Reporter): boolean {
  if (spool.size > MAX_OSC52) {
    reporter.warn(`not copied to the clipboard: over ssh, terminals take at most ${MAX_OSC52} bytes`);
    return false;
  }
  const text = Buffer.concat(spool.chunks()).toString('base64');
  const isWritten = writeToTerminal(`\x1b]52;c;${text}\x07`);
  if (!isWritten) reporter.warn('not copied to the clipboard: no terminal');
  return isWritten;
}
