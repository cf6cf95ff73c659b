import fs from 'node:fs';
import { expect, test } from 'vitest';

test('the library exports these values and types, and nothing else', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual(['ERROR_CODES', 'ToolError', 'createJinn']);
  const text = fs.readFileSync(`${import.meta.dirname}/index.ts`, 'utf8');
  const names = [...text.matchAll(/(?<=[{,]\s*(?:type )?)[A-Z_a-z]+(?=\s*[,}])/g)].map(([name]) => name);
  const types = names.filter((name) => /^[A-Z]/.test(name) && !['ERROR_CODES', 'ToolError'].includes(name));
  expect(types.toSorted()).toEqual([
    'ApprovalAnswer',
    'ApprovalQuestion',
    'Approve',
    'CallAnswer',
    'CallOptions',
    'ErrorCode',
    'Jinn',
    'JinnOptions',
    'ModelAnswer',
    'ModelBlock',
    'ToolArgs',
    'ToolData',
    'ToolName',
    'ToolsetName',
    'Toolsets',
  ]);
});
