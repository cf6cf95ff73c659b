import { toVisible } from '@jinn/core/text';
import type { Definition } from '../define/definition.ts';
import { describeFolder } from '../folders/index.ts';

const MAX_LINES = 10;
const MAX_LISTED = 20;

/**
 * Describes a tool to a person who is to allow it, a line each: its own description, what it runs, whether it asks,
 * which variables it wants, and the links that lead out of its folder.
 */
export function describeTool(definition: Definition, folder: string): string {
  const { description, script, securityScript, requireApproval, env } = definition;
  const { files, linksOut } = describeFolder(folder);
  const said = description.split('\n');
  const asks = requireApproval
    ? 'each time'
    : securityScript === undefined
      ? 'never'
      : `when ${securityScript} says so`;
  return [
    ...said.slice(0, MAX_LINES),
    ...(said.length > MAX_LINES ? [`… ${said.length - MAX_LINES} more lines`] : []),
    `runs ${script}, of ${files} ${files === 1 ? 'file' : 'files'}`,
    `asks a person: ${asks}`,
    env.length === 0 ? 'reads no variable of .env' : `asks for variables of .env: ${env.join(', ')}`,
    ...linksOut.slice(0, MAX_LISTED).map((link) => `a link that leads out: ${link}`),
    ...(linksOut.length > MAX_LISTED ? [`… ${linksOut.length - MAX_LISTED} more links that lead out`] : []),
  ]
    .map((line) => `    ${toVisible(line)}\n`)
    .join('');
}
