import fs from 'node:fs';
import { describeTools } from '@jinn/core';
import { countProcessorTime } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { readDefinition } from './define/definition.ts';
import {
  ANY_SCHEMA,
  bashTool,
  completed,
  type Fields,
  makeScene,
  resultOf,
  toolMd,
} from './fixture/custom-registry.ts';

const HELLO = 'echo \'{"hello": true}\'';

const namesOf = async ({ registry }: Awaited<ReturnType<typeof makeScene>>) =>
  (await describeTools(registry)).map(({ name }) => name);

test('a folder is a tool, with its text as the description', async () => {
  const scene = await makeScene({ config: bashTool(HELLO, { name: 'my-tool' }) });
  expect(await describeTools(scene.registry)).toMatchObject([
    { name: 'my-tool', description: 'A test tool.', effect: 'execute', schema: ANY_SCHEMA },
  ]);
  expect(resultOf(await scene.call('my-tool'))).toEqual({ hello: true });
});

test('a folder that is new, changed or deleted counts at the next call', async () => {
  const scene = await makeScene();
  expect(await scene.call('late')).toMatchObject({ ok: false, error_code: 'unknown_tool' });
  scene.write(bashTool(HELLO, { name: 'late' }));
  expect(resultOf(await scene.call('late'))).toEqual({ hello: true });
  scene.write({ 'tools/late/script.sh': 'echo \'{"v": 2}\'' });
  expect(resultOf(await scene.call('late'))).toEqual({ v: 2 });
  scene.write({ 'tools/late/tool.md': toolMd({ name: 'later' }) });
  expect(resultOf(await scene.call('later'))).toEqual({ v: 2 });
  expect(await scene.call('late')).toMatchObject({ ok: false });
  fs.rmSync(`${scene.state}/tools/late`, { recursive: true });
  expect(await namesOf(scene)).toEqual([]);
  expect(await scene.call('later')).toMatchObject({ ok: false });
});

test('a check can be switched off', async () => {
  const fields = { securityScript: 'script.sh', hasSecurityCheck: false };
  expect((await readDefinition('tool.md', toolMd(fields))).securityScript).toBeUndefined();
});

test('refuses a duplicate key in tool.json', async () => {
  const json = JSON.stringify(completed({ requireApproval: true })).replace('{', '{"requireApproval":false,');
  await expect(readDefinition('tool.json', json)).rejects.toThrow('duplicate key "requireApproval"');
});

test('reads tool.json, and prefers tool.md', async () => {
  const json = JSON.stringify(completed({ name: 'from-json', description: 'From JSON.' }));
  const scene = await makeScene({ config: { 'tools/a/tool.json': `\ufeff${json}`, 'tools/a/script.sh': HELLO } });
  expect(await describeTools(scene.registry)).toMatchObject([{ name: 'from-json', description: 'From JSON.' }]);
  scene.write({ 'tools/a/tool.md': toolMd({ name: 'from-md' }) });
  expect(await namesOf(scene)).toEqual(['from-md']);
});

test('has the defaults of the page, and takes a byte order mark and CRLF', async () => {
  const text = `\ufeff${toolMd({ timeout: undefined })}`.replaceAll('\n', '\r\n');
  expect(await readDefinition('tool.md', text)).toEqual({
    ...completed({}),
    description: 'A test tool.',
    timeout: 30_000,
    requireApproval: false,
    dangerous: false,
    securityScript: undefined,
    securityTimeout: 10_000,
    env: [],
  });
  const checked = await readDefinition('tool.md', toolMd({ hasSecurityCheck: true }));
  expect(checked.securityScript).toBe('security.ts');
});

test.each<[string, Fields, string]>([
  ['no name', { name: undefined }, 'name: it is missing'],
  ['a name with a space', { name: 'my tool' }, 'name: "my tool" must be 1 to 64 letters'],
  ['a name with a dot', { name: 'my.tool' }, 'name: "my.tool" must be'],
  ['a long name', { name: 'x'.repeat(65) }, 'must be 1 to 64 letters'],
  ['a number as the name', { name: 5 }, 'name: it must be a text, not 5'],
  ['no script', { script: undefined }, 'script: it is missing'],
  ['no runtime', { runtime: undefined }, 'runtime: it is missing'],
  ['an unknown runtime', { runtime: 'ruby' }, 'runtime: "ruby" is not one of bun, node'],
  ['no inputSchema', { inputSchema: undefined }, 'inputSchema: it is missing'],
  ['no outputSchema', { outputSchema: undefined }, 'outputSchema: it is missing'],
  ['an inputSchema of another type', { inputSchema: { type: 'array' } }, 'inputSchema: must have type: object'],
  ['an inputSchema that is a list', { inputSchema: [] }, 'inputSchema: must be a JSON Schema, an object'],
  [
    'a property of no type',
    { inputSchema: { type: 'object', properties: { a: { type: 'text' } } } },
    'inputSchema: properties.a.type must be equal to one of the allowed values',
  ],
  [
    'a required name that is none',
    { inputSchema: { type: 'object', required: 'a' } },
    'inputSchema: required must be array',
  ],
  [
    'a property that is no schema',
    { inputSchema: { type: 'object', properties: { a: 'text' } } },
    'inputSchema: properties.a must be object',
  ],
  [
    'properties that are a list',
    { inputSchema: { type: 'object', properties: ['a'] } },
    'inputSchema: properties must be object',
  ],
  [
    'a choice that is no list',
    { inputSchema: { type: 'object', anyOf: { type: 'object' } } },
    'inputSchema: anyOf must be array',
  ],
  [
    'a pattern that is no regular expression',
    { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
    'inputSchema: properties.a: Invalid regular expression: /(/u',
  ],
  [
    'a pattern that is a number',
    { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: 5 } } } },
    'inputSchema: properties.a.pattern must be string',
  ],
  [
    'a pattern of names that is no regular expression',
    { outputSchema: { type: 'object', patternProperties: { '[': {} } } },
    'outputSchema: Invalid regular expression: /[/u',
  ],
  [
    'a draft that is not known',
    { inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' } },
    'inputSchema: $schema: "http://json-schema.org/draft-04/schema#" is not draft 2020-12 or draft-07',
  ],
  ['env as a mapping', { env: { A: '1' } }, 'env: it must be a list of names'],
  ['env as a text', { env: 'AB' }, 'env: it must be a list of names'],
  ['a name that is no variable', { env: ['A=B'] }, 'env: it must be a list of names'],
  ['a timeout of 0', { timeout: 0 }, 'timeout: it must be a number of milliseconds'],
  ['a negative timeout', { timeout: -5 }, 'timeout: it must be'],
  ['a timeout that is a text', { timeout: '30' }, 'timeout: it must be'],
  ['a timeout beyond a timer', { timeout: 2 ** 31 }, 'timeout: it must be'],
  ['no time for the check', { securityTimeout: 0 }, 'securityTimeout: it must be'],
  ['a word for a flag', { requireApproval: 'yes' }, 'requireApproval: it must be true or false, not "yes"'],
  ['a mistyped field', { requireAproval: true }, 'there is no such field. Did you mean requireApproval?'],
  ['a script above the folder', { script: '../evil.sh' }, 'script: it leaves the folder of the tool'],
  ['a script by a way out and back', { script: 'a/../../tool/script.sh' }, 'script: it leaves the folder'],
  ['an absolute script', { script: '/bin/true' }, 'script: it is an absolute path'],
  ['a script that is missing', { script: 'none.sh' }, 'script: there is no file none.sh'],
  [
    'a check that never runs',
    { securityScript: 'script.sh' },
    'securityScript: it only runs with hasSecurityCheck: true',
  ],
  ['a check that is missing', { hasSecurityCheck: true }, 'securityScript: there is no file security.ts'],
  [
    'a check outside of the folder',
    { hasSecurityCheck: true, securityScript: '../../x' },
    'securityScript: it leaves the folder',
  ],
  ['a binary that is not executable', { runtime: 'binary' }, 'script: script.sh is not executable'],
])('reports %s with file and field, and serves the others', async (_, fields, reason) => {
  const scene = await makeScene({
    config: { ...bashTool(HELLO, { name: 'good' }), 'tools/bad/tool.md': toolMd(fields), 'tools/bad/script.sh': HELLO },
  });
  expect(await namesOf(scene)).toEqual(['good']);
  const [problem, ...rest] = (await scene.registry.list()).leftOut.map(({ reason }) => reason);
  expect(problem).toContain('tools/bad/tool.md: ');
  expect(problem).toContain(reason);
  expect(problem).not.toContain(scene.state);
  expect(rest).toEqual([]);
  expect(await scene.call('bad')).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
});

test('names all faults of a definition at once', async () => {
  await expect(readDefinition('tool.md', toolMd({ name: 1, runtime: 'x', env: 1 }))).rejects.toMatchObject({
    faults: [expect.stringMatching(/^name/), expect.stringMatching(/^runtime/), expect.stringMatching(/^env/)],
  });
});

test.each([
  ['no front matter', '# plain\n\nname: plain\n', 'it must start with a line ---'],
  ['front matter without an end', '---\nname: a\n', 'a line --- is missing'],
  ['code instead of YAML', '---js\n{ name: (globalThis.ran = true, "a") }\n---\n', 'it must start with a line ---'],
  ['invalid YAML', '---\nname: [\n---\n', 'the front matter is not YAML'],
  ['a tag that would run code', '---\nname: !!js/function "function () {}"\n---\n', 'the front matter is not YAML'],
  ['a field twice', '---\nrequireApproval: true\nrequireApproval: false\n---\n', 'duplicated mapping key'],
  ['a list', '---\n- a\n---\n', 'it defines no fields'],
  ['nothing', '---\n---\n', 'it defines no fields'],
  [
    'aliases that multiply',
    `---\na: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${`*${'abcdefg'[i]},`.repeat(9)}]`).join('\n')}\n---\n`,
    'more than 20000 values',
  ],
])('refuses %s, the second time as the first', async (_, text, reason) => {
  const scene = await makeScene({ config: { 'tools/bad/tool.md': text, 'tools/bad/script.sh': HELLO } });
  for (const _time of [1, 2]) {
    expect(await namesOf(scene)).toEqual([]);
    expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(reason),
    ]);
  }
  expect(globalThis).not.toHaveProperty('ran');
});

function nested(depth: number): object {
  return depth === 0 ? {} : { not: nested(depth - 1) };
}

test.each([
  ['no JSON', '{', 'it is invalid JSON'],
  ['a list', '[]', 'it defines no fields'],
  [
    'a schema that is nested too deeply',
    JSON.stringify(completed({ inputSchema: { type: 'object', not: nested(140) } })),
    'is nested deeper than 128 levels',
  ],
])('refuses a tool.json with %s', async (_, text, reason) => {
  const scene = await makeScene({ config: { 'tools/bad/tool.json': text } });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining(reason)]);
});

test('reports a folder without a definition, and passes over files and side folders', async () => {
  const scene = await makeScene({
    config: {
      'tools/README.md': '',
      'tools/.new/tool.md': toolMd(),
      'tools/empty/': '',
      'tools/fifo/tool.md': { fifo: true },
    },
  });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
    'tools/empty: it has neither tool.md nor tool.json',
    'tools/fifo/tool.md: it is not a regular file',
  ]);
});

test('reports a directory of tools that cannot be listed', async () => {
  const scene = await makeScene({ config: { tools: 'a file' } });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
    'tools: it cannot be listed (ENOTDIR)',
  ]);
});

test('two tools of one name are both left out, with the folders', async () => {
  const scene = await makeScene({
    config: {
      ...bashTool(HELLO, { name: 'good' }),
      'tools/a/tool.md': toolMd({ name: 'same' }),
      'tools/a/script.sh': HELLO,
      'tools/b/tool.md': toolMd({ name: 'same' }),
      'tools/b/script.sh': HELLO,
    },
  });
  expect(await namesOf(scene)).toEqual(['good']);
  expect(await scene.call('same')).toMatchObject({
    ok: false,
    error: expect.stringContaining('tools/a and tools/b: name: they all define same'),
  });
});

test.each(['read_file', 'Read_File'])(
  'a tool with the name %s of a built-in one, in any case, is left out, with its folder',
  async (name) => {
    const scene = await makeScene({ config: bashTool(HELLO, { name }) });
    expect(await namesOf(scene)).toEqual([]);
    expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
      `tools/${name}: name: ${name} is the name of a built-in tool of the toolset jinn`,
    ]);
  },
);

test('a link to a folder is a tool, and its script must lie in that folder', async () => {
  const scene = await makeScene({ config: bashTool(HELLO) });
  scene.write({ 'elsewhere/tool.md': toolMd({ name: 'linked' }), 'elsewhere/script.sh': HELLO, 'evil.sh': HELLO });
  scene.write({ 'tools/link': { symlink: '../elsewhere' } });
  expect(await namesOf(scene)).toEqual(['linked', 'tool']);
  fs.rmSync(`${scene.state}/tools/tool/script.sh`);
  scene.write({ 'tools/tool/script.sh': { symlink: '../../evil.sh' } });
  expect(await scene.call('tool')).toMatchObject({
    ok: false,
    error: expect.stringContaining('script: it leaves the folder of the tool'),
  });
});

test('a tool that is marked as dangerous has a sign in lists', async () => {
  const scene = await makeScene({ config: bashTool(HELLO, { dangerous: true }) });
  expect(await describeTools(scene.registry)).toMatchObject([{ name: 'tool', isMarked: true }]);
});

test('looks at the same time find the same tools, and tell of no change', async () => {
  const scene = await makeScene({ config: { ...bashTool(HELLO, { name: 'a' }), ...bashTool(HELLO, { name: 'b' }) } });
  // A definition that is younger is read at each look.
  await new Promise((resolve) => setTimeout(resolve, 200));
  let changes = 0;
  const end = scene.registry.watch(() => changes++);
  await Promise.all([1, 2, 3, 4].map(() => namesOf(scene)));
  await namesOf(scene);
  end();
  expect(changes).toBe(0);
});

test('tells of changes that a watch sees', async () => {
  const scene = await makeScene({ config: bashTool(HELLO) });
  let count = 0;
  let told: () => void = () => {};
  const end = scene.registry.watch(() => {
    count++;
    told();
  });
  const change = () =>
    new Promise<void>((resolve) => {
      told = resolve;
    });
  await describeTools(scene.registry);
  const first = change();
  scene.write(bashTool(HELLO, { name: 'second' }));
  await first;
  expect(await namesOf(scene)).toEqual(['second', 'tool']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const second = change();
  fs.rmSync(`${scene.state}/tools/second`, { recursive: true });
  await second;
  end();
  const before = count;
  scene.write(bashTool(HELLO, { name: 'third' }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await describeTools(scene.registry);
  expect(count).toBe(before);
});

test('no text of a definition makes discovery fail or take long', async () => {
  const line = fc.constantFrom(
    '---',
    'name: a',
    'a: &a [*a]',
    'b: *a',
    '? [',
    '- - - -',
    '"',
    "'",
    '|',
    '\t',
    '!!x y',
    '...',
    '%YAML 1.2',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(line, fc.string()), { maxLength: 30 }), async (lines) => {
      const text = ['---', ...lines, '---', 'body'].join('\n');
      const used = countProcessorTime();
      await readDefinition('tool.md', text).catch((error: Error) => {
        if (error.constructor.name !== 'DefinitionError') throw error;
      });
      expect(used()).toBeLessThan(5_000);
    }),
    { numRuns: 300 / inject('runsDivisor') },
  );
});

test('no fields make a definition fail in another way than by naming the fault', async () => {
  const field = fc.constantFrom(
    'name',
    'script',
    'runtime',
    'inputSchema',
    'outputSchema',
    'timeout',
    'env',
    'dangerous',
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(field, fc.jsonValue()), async (fields) => {
      const read = readDefinition('tool.json', JSON.stringify({ ...completed({}), ...fields }));
      await read.catch((error: Error) => {
        if (error.constructor.name !== 'DefinitionError') throw error;
      });
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});
