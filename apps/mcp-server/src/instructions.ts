import type { Roots } from './roots.ts';

/** Writes what a host tells its model of the server: what it is for, where paths begin, and what the tools refuse. */
export function instructionsFor({ allowed, worktrees }: Roots): string {
  const [first, ...others] = allowed;
  const more = [...others, ...(worktrees ? ['the path of a git worktree of one of them'] : [])];
  const choice = more.length > 0 ? ` A call may choose another by \`root\`: ${more.join(', ')}.` : '';
  return [
    'Tools for the files of a project on this machine: read, search, list and compare them, edit and undo safely, run commands and background jobs, remember notes, describe the project.',
    `Paths are relative to the working directory, and confined to it: ${first}, or the part of it that the host has open.${choice}`,
    'Secrets such as .env and .git cannot be opened. An edit of a file that has changed since it was read is refused: read it again. A long answer ends with a line that says how to get the rest.',
  ].join('\n');
}
