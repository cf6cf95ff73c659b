import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PAGES = path.join(ROOT, 'docs/tutorial');
const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Block {
  readonly language: string;
  readonly code: string;
}

interface Content {
  readonly type: string;
  readonly [member: string]: unknown;
}

interface Asked {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** The blocks of a page, from top to bottom. */
function blocksOf(page: string): Block[] {
  const text = fs.readFileSync(path.join(PAGES, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
}

/** A reader with jinn on the PATH, who types into one shell: each command goes on where the last one ended. */
function makeReader(env: Record<string, string> = {}) {
  const home = makeTempDirectory();
  fs.mkdirSync(`${home}/bin`);
  fs.symlinkSync(path.join(ROOT, 'apps/jinn/dist/jinn.cjs'), `${home}/bin/jinn`);
  const all = { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, XDG_CONFIG_HOME: `${home}/.config`, ...env };
  const reader = { home, directory: home, type };
  async function type(command: string): Promise<string> {
    const script = `set -e\n${command}\npwd > ${home}/.where\n`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: reader.directory, env: all });
    reader.directory = fs.readFileSync(`${home}/.where`, 'utf8').trim();
    return stdout;
  }
  return reader;
}

/** Listens as the API does, and answers with these messages, one after the other. */
async function serveModel(contents: readonly (readonly Content[])[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    asked.push((await json(request)) as Asked);
    const content = contents[asked.length - 1] ?? [];
    const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
    response.end(JSON.stringify({ role: 'assistant', content, stop_reason }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, close: () => server.close() };
}

test('the page of the first agent leads to an agent that changes a file, and to its undo', async () => {
  const edit = { path: 'notes.txt', old_text: 'Monday', new_text: 'Friday' };
  const model = await serveModel([
    [{ type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'notes.txt' } }],
    [{ type: 'tool_use', id: 'toolu_2', name: 'edit_file', input: edit }],
    [{ type: 'text', text: 'It is on Friday now.' }],
  ]);
  const reader = makeReader({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'key', MODEL: 'any' });
  const printed: string[] = [];
  for (const { language, code } of blocksOf('first-agent.md')) {
    if (language === 'sh') printed.push(await reader.type(code));
    else fs.writeFileSync(`${reader.directory}/agent.mjs`, code);
  }
  model.close();
  const [, read, refused, , talk, changed, undone] = printed;
  expect(read).toContain('The meeting is on Monday.');
  expect(refused).toContain('"ok":false');
  expect(talk).toBe('> read_file\n> edit_file\nIt is on Friday now.\n');
  expect(changed).toBe('The meeting is on Friday.\n');
  expect(undone).toMatch(/"ok":true.*\nThe meeting is on Monday\.\n$/);
  expect(model.asked[0]?.tools.map(({ name }) => name)).toContain('edit_file');
  expect(model.asked[1]?.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'toolu_1' }]);
});

test.skipIf(!hasPython)('the page of the first custom tool leads to a tool that works and refuses', async () => {
  const reader = makeReader();
  const printed: string[] = [];
  for (const { language, code } of blocksOf('first-tool.md')) {
    if (language === 'sh') printed.push(await reader.type(code));
    else fs.writeFileSync(`${reader.home}/.config/jinn/tools/word-count/script.py`, code);
  }
  const [, run, called, changed, mistyped, empty, checked] = printed;
  expect(run).toContain('{"words":3}');
  expect(called).toContain('"ok":true,"result":"{\\"words\\":2}"');
  expect(changed).toContain('{"words":3,"lines":1}');
  expect(mistyped).toContain('"ok":false');
  expect(empty).toContain('"error_code":"tool_failed"');
  expect(checked).toContain('word-count');
});
