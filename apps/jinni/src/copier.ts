import type { Spool } from '@jinn/context';
import type { ClipboardProgram } from '@jinn/process/clipboard';
import type { Machine } from './program-machine.ts';
import type { Reporter } from './reporter.ts';

/** The most bytes that terminals take, before they are encoded. */
const MAX_OSC52 = 74_994;

/** Copies what was printed to the clipboard: by a program of the desktop, or over ssh by the terminal (OSC 52). */
export interface Copier {
  /** Copies a text. Returns false, with a warning, if that failed. */
  copy(printed: Spool): Promise<boolean>;
}

/** Finds a way to copy; undefined when there is none. */
export async function findCopier(machine: Machine, reporter: Reporter): Promise<Copier | undefined> {
  const { variables } = machine;
  const { findClipboard, copyToClipboard } = await import('@jinn/process/clipboard');
  // The user chooses the program of the clipboard by their own PATH, like in their shell.
  const program = findClipboard({ ...machine.ownVariables });
  if (program) {
    return {
      copy: async (printed) => {
        const fault = await copyToClipboard(program, printed.chunks());
        if (fault !== undefined) reporter.warn(`not copied to the clipboard: ${nameOf(program)} ${fault}`);
        return fault === undefined;
      },
    };
  }
  const isRemote = Boolean(variables['SSH_CONNECTION'] || variables['SSH_TTY'] || variables['SSH_CLIENT']);
  if (!isRemote || !(machine.isTerminal(1) || machine.isTerminal(2))) return undefined;
  return { copy: async (printed) => copyByTerminal(printed, machine, reporter) };
}

function copyByTerminal(spool: Spool, machine: Machine, reporter: Reporter): boolean {
  if (spool.size > MAX_OSC52) {
    reporter.warn(`not copied to the clipboard: over ssh, terminals take at most ${MAX_OSC52} bytes`);
    return false;
  }
  const text = Buffer.concat(spool.chunks()).toString('base64');
  const isWritten = machine.writeToTerminal(`\x1b]52;c;${text}\x07`);
  if (!isWritten) reporter.warn('not copied to the clipboard: no terminal');
  return isWritten;
}

function nameOf({ command }: ClipboardProgram): string {
  return command.slice(command.lastIndexOf('/') + 1);
}
