import { ToolError } from '@jinn/core/errors';
import type { Machine } from '../program-machine.ts';

const NAME = 'jinni.config.json';
/** The first settings: they change little, and show how others are written. */
const CONTENT = {
  not: [],
  tree: true,
  levels: { '**/*.generated.*': 'outline' },
  profiles: { review: { 'max-tokens': 60_000, summary: true } },
};

/** Writes a first jinni.config.json. Returns the text for the user. Throws ToolError if there is one already. */
export function writeFirstSettings(machine: Machine): string {
  if (machine.exists(NAME)) {
    throw new ToolError('conflict', `${NAME} is there already`, { suggestion: 'edit it, or remove it first' });
  }
  const file = machine.create(NAME);
  file.write(Buffer.from(`${JSON.stringify(CONTENT, undefined, 2)}\n`));
  file.close();
  return `${NAME} was written; its settings are flags without dashes, and jinni --schema prints their JSON Schema\n`;
}
