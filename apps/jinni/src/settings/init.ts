import { ToolError } from '@jinn/errors';
import type { Machine } from '../program-machine.ts';

const NAME = 'jinni.config.json';
/** Changes little, and shows how the rest is written. */
const CONTENT = {
  not: [],
  tree: true,
  levels: { '**/*.generated.*': 'outline' },
  profiles: { review: { 'max-tokens': 60_000, summary: true } },
};

/** Writes jinni.config.json to begin with. Returns what to say of it. Throws ToolError if there is one. */
export function writeFirstSettings(machine: Machine): string {
  if (machine.exists(NAME)) {
    throw new ToolError('conflict', `${NAME} is there already`, { suggestion: 'edit it, or remove it first' });
  }
  const file = machine.create(NAME);
  file.write(Buffer.from(`${JSON.stringify(CONTENT, undefined, 2)}\n`));
  file.close();
  return `${NAME} was written; its settings are flags without dashes, and jinni --schema prints their JSON Schema\n`;
}
