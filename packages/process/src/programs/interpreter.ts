import { readStart } from '@jinn/workspace';

const MAX_LINE = 256;

/** Returns the interpreter that the first line of a script names; undefined if it names none. */
export function interpreterOf(file: string): string[] {
  const [line = ''] = readStart(file, MAX_LINE, { followsLinks: true })?.toString('latin1').split('\n') ?? [];
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/).slice(0, 1) : [];
}
