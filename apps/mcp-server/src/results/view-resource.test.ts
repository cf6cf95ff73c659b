import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from '../fixture/connect-here.ts';

const MIME_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = 'io.modelcontextprotocol/ui';
const ERAS = ['by handshake', 'stateless'] as const;
const SHOWN = [
  'run_shell',
  'write_file',
  'edit_file',
  'multi_edit',
  'apply_patch',
  'undo',
  'diff_files',
  'search_replace',
];

interface Given {
  readonly mimeTypes?: readonly string[];
  readonly args?: readonly string[];
}

/** Connects a host that says which kinds of pages it shows; one without the extension if there are none. */
async function open(era: (typeof ERAS)[number], { mimeTypes, args = [] }: Given) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n' });
  const capabilities = mimeTypes ? { extensions: { [EXTENSION]: { mimeTypes: [...mimeTypes] } } } : {};
  const place = { cwd, args };
  const { client, connect } =
    era === 'stateless' ? await connectNew(place, { capabilities }) : await connectOld(place, capabilities);
  await connect();
  const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  return { cwd, client, call };
}

const EDIT = { path: 'a.txt', old_text: 'one', new_text: 'two' };
const PICTURE = { type: 'diff', path: 'a.txt', additions: 1, deletions: 1 };

test.each(ERAS)('a host that shows pages is told of ours, and gets what it shows (%s)', async (era) => {
  const { client, call } = await open(era, { mimeTypes: ['text/html', MIME_TYPE] });
  expect(client.getServerCapabilities()?.extensions).toEqual({ [EXTENSION]: {} });
  const { tools } = await client.listTools();
  const bound = tools.filter(({ _meta }) => _meta?.['ui'] !== undefined);
  expect(bound.map(({ name }) => name)).toEqual(SHOWN);
  const [{ resourceUri: uri } = { resourceUri: '' }] = bound.map(
    ({ _meta }) => _meta?.['ui'] as { resourceUri: string },
  );
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri, mimeType: MIME_TYPE, name: 'result' }]);
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([
    {
      uri,
      mimeType: MIME_TYPE,
      text: expect.stringMatching(/^<!doctype html>/),
      _meta: { ui: { permissions: { clipboardWrite: {} }, prefersBorder: false } },
    },
  ]);
  const edited = await call('edit_file', EDIT);
  expect(edited.structuredContent).toBeUndefined();
  expect(edited.content).toEqual([{ type: 'text', text: expect.stringMatching(/^a\.txt:1 \(1 line\)/) }]);
  expect(edited._meta).toMatchObject({ jinn: { visualization: PICTURE } });
  expect(JSON.stringify(await call('search_files', { pattern: 'two' }))).not.toContain('visualization');
});

test.each(
  ERAS.flatMap(
    (era) =>
      [
        [era, 'without the extension', {}],
        [era, 'that shows other pages', { mimeTypes: ['text/html'] }],
        [era, 'of an operator who wants none', { mimeTypes: [MIME_TYPE], args: ['--no-views'] }],
      ] as const,
  ),
)('a host %s, %s, gets text alone', async (era, _, given) => {
  const { client, call } = await open(era, given);
  expect(JSON.stringify(await client.listTools())).not.toContain('ui://');
  expect((await client.listResources()).resources).toEqual([]);
  const { content, _meta } = await call('edit_file', EDIT);
  expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^a\.txt:1 \(1 line\)/) }]);
  expect(JSON.stringify(_meta)).not.toContain('visualization');
});

test('with --no-views there is no page and no extension', async () => {
  const { client } = await open('by handshake', { mimeTypes: [MIME_TYPE], args: ['--no-views'] });
  expect(client.getServerCapabilities()?.extensions).toBeUndefined();
  await expect(client.readResource({ uri: 'ui://jinn/result-0.html' })).rejects.toThrow('Resource not found');
});

test.each(ERAS)('a large visualization is not sent along, but read in parts (%s)', async (era) => {
  const { client, call, cwd } = await open(era, { mimeTypes: [MIME_TYPE] });
  const line = `${'ä'.repeat(120)}\n`;
  for (const name of ['b.txt', 'c.txt', 'd.txt']) fs.writeFileSync(`${cwd}/${name}`, line.repeat(400));
  const { _meta } = await call('search_replace', { pattern: 'ä{120}', replacement: 'ö', files: '*.txt' });
  const { meta, ...rest } = Object(_meta?.['jinn']);
  expect(rest).not.toHaveProperty('visualization');
  let json = '';
  for (let part = '?'; part !== ''; json += part) {
    const uri = `${meta.visualization_uri}?offset=${Buffer.byteLength(json)}&limit=99999`;
    const { contents } = await client.readResource({ uri });
    part = (contents[0] as { text: string }).text;
  }
  const { type, items } = JSON.parse(json);
  expect([type, items.length, items[0].additions]).toEqual(['diffs', 3, 400]);
});

test('with --visualize a large visualization comes whole', { tags: 'slow' }, async () => {
  const { call, cwd } = await open('stateless', { mimeTypes: [MIME_TYPE], args: ['--visualize'] });
  for (const name of ['b.txt', 'c.txt']) fs.writeFileSync(`${cwd}/${name}`, 'a line of text\n'.repeat(2_000));
  const { _meta } = await call('search_replace', { pattern: 'line', replacement: 'row', files: '*.txt' });
  expect(JSON.stringify(_meta).length).toBeGreaterThan(256 * 1024);
});
