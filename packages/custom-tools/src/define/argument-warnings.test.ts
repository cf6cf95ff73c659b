import { expect, test } from 'vitest';
import { bashTool, makeScene } from '../fixture/custom-registry.ts';
import { findUnlisted } from '../to-tool.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' }, mode: { type: 'string' } } };

test('warns of an argument that the schema does not list, and names the one that was meant', async () => {
  const scene = await makeScene({ config: bashTool('echo "{}"', { inputSchema: SCHEMA }) });
  expect((await scene.call('tool', { path: 'x', pth: 'y', zzzzzz: 1 })).meta).toMatchObject({
    warnings: [
      'inputSchema of the tool has no argument "pth": did you mean "path"?',
      'inputSchema of the tool has no argument "zzzzzz"',
    ],
  });
  expect((await scene.call('tool', { path: 'x' })).meta).not.toHaveProperty('warnings');
});

test('says it in the error of a call that fails', async () => {
  const scene = await makeScene({ config: bashTool(`echo '{"error": "no path"}'`, { inputSchema: SCHEMA }) });
  expect(await scene.call('tool', { pth: 'y' })).toMatchObject({
    error_code: 'tool_failed',
    error: 'tool: no path',
    suggestion: expect.stringMatching(/^inputSchema of the tool has no argument "pth": did you mean "path"\?; /),
  });
  expect((await scene.call('tool', { path: 'y' })).suggestion).not.toContain('inputSchema');
});

test('looks at the schemas of a choice too', () => {
  const schema = { ...SCHEMA, anyOf: [{ required: ['path'] }, { properties: { other: {} } }] };
  expect(findUnlisted(schema, { othr: 1, path: 1 })).toEqual([
    'inputSchema of the tool has no argument "othr": did you mean "other"?',
  ]);
});

test.each<[string, object]>([
  ['says that there may be others', { additionalProperties: true }],
  ['says what others are', { additionalProperties: { type: 'string' } }],
  ['has patterns of names', { patternProperties: { '^x': {} } }],
  ['lists others elsewhere', { anyOf: [{ properties: { pth: {} } }] }],
  ['refers to another part', { allOf: [{ $ref: '#/$defs/a' }] }],
  ['lists others on a condition', { if: { properties: { pth: {} } } }],
  ['lists others beside an argument', { dependentSchemas: { path: { properties: { pth: {} } } } }],
  ['lists none', { properties: {} }],
  ['is false somewhere', { properties: {}, anyOf: [false, true] }],
  ['lists the argument', { properties: { pth: {} } }],
])('is silent if the schema %s', (_, more) => {
  expect(findUnlisted({ ...SCHEMA, ...more }, { pth: 1 })).toEqual([]);
});
