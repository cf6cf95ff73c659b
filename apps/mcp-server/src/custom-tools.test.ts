import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';

const definition = (name: string, more = '') =>
  `---\nname: ${name}\nscript: script.sh\nruntime: bash\n${more}inputSchema:\n  type: object\noutputSchema:\n  type: object\n---\n\nA test tool.\n`;

const HELLO = `cat > /dev/null
echo '{"_progress": {"message": "half", "done": 1, "total": 2}}' >&2
echo '{"hello": true, "_visualization": {"type": "none"}}'`;

/** A home with a tool that runs at once, and one that needs approval. */
function makeHome() {
  const home = makeTempDirectory();
  makeTree(home, {
    '.config/jinn/tools/free/tool.md': definition('free'),
    '.config/jinn/tools/free/script.sh': HELLO,
    '.config/jinn/tools/guarded/tool.md': definition('guarded', 'requireApproval: true\ndangerous: true\n'),
    '.config/jinn/tools/guarded/script.sh': 'touch ran; echo \'{"ran": true}\'',
    '.config/jinn/tools/broken/tool.md': definition('broken').replace('bash', 'ruby'),
  });
  return { home, cwd: makeTempDirectory() };
}

async function connect(kind: 'old' | 'new', { asks }: { asks?: 'accept' | 'decline' }) {
  const place = makeHome();
  const asked: string[] = [];
  const answer = ({ params }: { params: { message: string } }) => {
    asked.push(params.message);
    return { action: asks ?? 'cancel', content: { decision: 'Allow once' } };
  };
  if (kind === 'old') {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { client, connect: start } = await connectOld(place, asks ? { elicitation: {} } : {});
    if (asks) client.setRequestHandler(ElicitRequestSchema, answer as never);
    await start();
    return { ...place, client, asked };
  }
  const { client, connect: start } = await connectNew(place, {
    capabilities: asks ? { elicitation: { form: {} } } : {},
  });
  if (asks) client.setRequestHandler('elicitation/create', answer as never);
  await start();
  return { ...place, client, asked };
}

const KINDS = ['old', 'new'] as const;

test.each(KINDS)('custom tools are listed and called by default (%s client)', async (kind) => {
  const { client } = await connect(kind, {});
  const { tools } = await client.listTools();
  const mine = tools.filter(({ name }) => ['free', 'guarded', 'broken'].includes(name));
  expect(mine).toMatchObject([
    { name: 'free', description: 'A test tool.', inputSchema: { type: 'object' } },
    { name: 'guarded', title: '⚠ Guarded' },
  ]);
  expect(mine[0]).not.toHaveProperty('title');
  const result = await client.callTool({ name: 'free', arguments: {} });
  expect(result.content).toEqual([{ type: 'text', text: '{"hello":true}' }]);
  expect(result._meta).toMatchObject({ jinn: { visualization: { type: 'none' } } });
  const { content } = await client.callTool({ name: 'list_tools', arguments: {} });
  expect(JSON.stringify(content)).toContain('tools/broken/tool.md: runtime: ');
});

test.each(KINDS)('a tool that a host cannot ask about is refused (%s client)', async (kind) => {
  const { client, cwd } = await connect(kind, {});
  expect(await client.callTool({ name: 'guarded', arguments: {} })).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^approval_required: denied: [\s\S]*jinn tools grants add guarded tool guarded/) },
    ],
  });
  expect(fs.existsSync(`${cwd}/ran`)).toBe(false);
});

test.each([
  ['old', 'accept'],
  ['old', 'decline'],
  ['new', 'accept'],
  ['new', 'decline'],
] as const)('a person decides where a host can ask (%s client, %s)', async (kind, asks) => {
  const { client, cwd, asked } = await connect(kind, { asks });
  const result = await client.callTool({ name: 'guarded', arguments: { a: 1 } });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^⚠ Run the tool guarded\? Its author marked it as dangerous\.\n\nArguments: \{"a":1\}/);
  expect(fs.existsSync(`${cwd}/ran`)).toBe(asks === 'accept');
  const text = asks === 'accept' ? '{"ran":true}' : expect.stringContaining('USER_REJECTION');
  expect(result.content).toEqual([{ type: 'text', text }]);
});

test('progress of a tool reaches the host', async () => {
  const { client } = await connect('old', {});
  const reports: unknown[] = [];
  await client.callTool({ name: 'free', arguments: {} }, undefined, {
    onprogress: (report) => void reports.push(report),
  });
  expect(reports).toContainEqual({ progress: 1, total: 2, message: 'half' });
});

test('a first report of nothing done yet reaches the host', async () => {
  const place = makeHome();
  makeTree(place.home, {
    '.config/jinn/tools/slow/tool.md': definition('slow'),
    '.config/jinn/tools/slow/script.sh': `cat > /dev/null
for n in 0 1; do echo '{"_progress": {"message": "at '$n'", "done": '$n', "total": 1}}' >&2; sleep 0.3; done
echo '{}'`,
  });
  const { client, connect: start } = await connectOld(place);
  await start();
  const reports: { readonly message?: string | undefined }[] = [];
  await client.callTool({ name: 'slow', arguments: {} }, undefined, {
    onprogress: (report) => void reports.push(report),
  });
  // Where the machine is slow, the server tells in between that the tool still runs.
  const ofTool = reports.filter(({ message }) => message?.startsWith('at '));
  expect(ofTool).toEqual([
    { progress: 0, total: 1, message: 'at 0' },
    { progress: 1, total: 1, message: 'at 1' },
  ]);
});

test('no tool changes a file of a tool of the workspace while that runs', async () => {
  const place = makeHome();
  makeTree(place.cwd, {
    '.jinn/tools/slow/tool.md': definition('slow'),
    '.jinn/tools/slow/script.sh': `cat > /dev/null
touch started; until [ -e go ]; do sleep 0.05; done
. "$(dirname "$0")/h.sh"; echo "{\\"v\\": \\"$v\\"}"`,
    '.jinn/tools/slow/h.sh': 'v=approved',
  });
  const jinn = path.resolve(import.meta.dirname, '../../jinn/dist/jinn.cjs');
  const env = { ...process.env, HOME: place.home, JINN_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' };
  execFileSync(process.execPath, [jinn, 'tools', 'trust', 'slow', '--yes'], { cwd: place.cwd, env });
  const { client, connect: start } = await connectOld(place);
  await start();
  const running = client.callTool({ name: 'slow', arguments: {} });
  await vi.waitFor(() => expect(fs.existsSync(`${place.cwd}/started`)).toBe(true), { timeout: 10_000 });
  const write = { name: 'write_file', arguments: { path: '.jinn/tools/slow/h.sh', content: 'v=EVIL' } };
  expect(await client.callTool(write)).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^conflict: nothing was changed: .* belongs to a custom tool that is running/) },
    ],
  });
  fs.writeFileSync(`${place.cwd}/go`, '');
  expect((await running).content).toEqual([{ type: 'text', text: '{"v":"approved"}' }]);
  expect(await client.callTool(write)).not.toHaveProperty('isError', true);
});

test('a long list of tools comes in pages', async () => {
  const place = makeHome();
  const names = Array.from({ length: 500 }, (_, i) => `many-${i}`);
  for (const name of names) {
    makeTree(place.home, {
      [`.config/jinn/tools/${name}/tool.md`]: definition(name),
      [`.config/jinn/tools/${name}/script.sh`]: HELLO,
    });
  }
  const { client, connect: start } = await connectOld(place);
  await start();
  const listed: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
    const page = await client.listTools({ cursor });
    expect(page.tools.length).toBeLessThanOrEqual(250);
    listed.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(['read_file', ...names]));
  await expect(client.listTools({ cursor: 'x' })).rejects.toThrow('unknown cursor');
});

test('a host is told when tools change', async () => {
  const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const place = makeHome();
  const { client, connect: start } = await connectOld(place);
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  await start();
  await client.listTools();
  makeTree(place.home, {
    '.config/jinn/tools/late/tool.md': definition('late'),
    '.config/jinn/tools/late/script.sh': HELLO,
  });
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('late');
});

test('an error about arguments names those of the tool, and no tool that is not served', async () => {
  const place = makeHome();
  makeTree(place.home, {
    '.config/jinn/tools/strict/tool.md': definition('strict').replace(
      'inputSchema:\n  type: object\n',
      'inputSchema:\n  type: object\n  properties:\n    count:\n      type: integer\n    name:\n      type: string\n  required: [count]\n',
    ),
    '.config/jinn/tools/strict/script.sh': HELLO,
  });
  const { client, connect: start } = await connectOld({ ...place, args: ['--toolset', 'custom'] });
  await start();
  const { content } = await client.callTool({ name: 'strict', arguments: {} });
  const [{ text }] = content as [{ text: string }];
  expect(text).toMatch(/^invalid_args: .*count/);
  expect(text.split('\n')[1]).toBe('the arguments of strict are: count (required), name');
});

test.each([
  ['codescout,custom', /Read jinn:\/\/results\/[^ ]* to continue\.\]$/],
  ['jinn,custom', /Call read_file with \{"path":[^}]*\} to continue\.\]$/],
])('the rest of a long error is read by what the toolsets %s have', async (toolset, next) => {
  const place = makeHome();
  makeTree(place.home, {
    '.config/jinn/tools/large/tool.md': definition('large'),
    '.config/jinn/tools/large/script.sh': 'cat > /dev/null; seq 4000 >&2; exit 3',
  });
  const args = ['--toolset', toolset, '--max-result', '8'];
  const { client, connect: start } = await connectOld({ ...place, args });
  await start();
  const { content } = await client.callTool({ name: 'large', arguments: {} });
  expect((content as [{ text: string }])[0].text).toMatch(next);
});
