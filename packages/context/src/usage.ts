import { defineTool } from '@jinn/core';
import { RULES_PAGE } from './rules/rules-page.ts';

export const usage = defineTool({
  name: 'usage',
  effect: 'read',
  description:
    'Explain how read_context chooses files: the built-in rules, .gitignore, .contextfiles, inline rules and exclusions.',
  input: (z) => z.strictObject({}),
  examples: [{}],
  run: () => ({ text: RULES_PAGE }),
});
