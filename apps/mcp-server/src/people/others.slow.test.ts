import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { parseScopes } from '@jinn/team/people/asker';
import { hashOf, toTokenLine } from '@jinn/team/people/bearer-tokens';
import { findPostgres, makeTempDirectory, makeTree, startPostgres } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import { INFO, listen } from '../fixture/listen.ts';

const bin = findPostgres();
const EVERYTHING = ['read', 'write', 'execute'];
const PEOPLE = { ann: EVERYTHING, bob: EVERYTHING, eve: [...EVERYTHING, 'admin'] };
type Person = keyof typeof PEOPLE;
const STORES = ['the state directory', 'a database'] as const;
const TEXT = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

const tokenOf = (person: Person) => `the-token-of-${person}-x`;

/** Serves to three people, of whom eve has the scope jinn:admin. */
async function serve(store: (typeof STORES)[number]) {
  const [place, home, root] = [makeTempDirectory(), makeTempDirectory(), makeTempDirectory()];
  const lines = Object.entries(PEOPLE).map(([person, scopes]) =>
    toTokenLine({ person, hash: hashOf(tokenOf(person as Person)), scopes: parseScopes(scopes), expires: Infinity }),
  );
  const team = store === 'a database' ? { url: startPostgres(bin as string).url, workspace: 'shop' } : undefined;
  makeTree(place, { tokens: `${lines.join('\n')}\n`, 'team.json': JSON.stringify({ database: team }) });
  const where = ['--root', root, ...(team ? ['--team', `${place}/team.json`] : [])];
  const variables = { HOME: home, JINN_CONFIG_DIR: `${home}/config` };
  const { url } = await listen({ args: ['--sandbox', 'off', '--token-file', `${place}/tokens`, ...where], variables });
  const grants = (...more: string[]) => {
    const env = { PATH: process.env['PATH'], ...variables };
    return spawnSync(process.execPath, [PROGRAM, 'grants', ...more, ...where], { env, encoding: 'utf8' }).stdout;
  };
  /** Runs it in a terminal, in which somebody types this. */
  const atTerminal = (typed: string, ...words: string[]) => {
    const command = [process.execPath, PROGRAM, 'grants', ...words, ...where].map((word) => `'${word}'`).join(' ');
    const line = ['--quiet', '--return', '--command', command, '/dev/null'];
    const env = { PATH: process.env['PATH'], ...variables };
    return spawnSync('script', line, { env, encoding: 'utf8', input: typed }).stdout;
  };
  return { url, root, grants, atTerminal, read: (file: string) => fs.readFileSync(`${root}/${file}`, 'utf8') };
}

let sessions = 0;

const TOOL =
  '---\nname: hello\nscript: hello.sh\nruntime: bash\ninputSchema: { type: object }\noutputSchema: { type: object }\n---\n\nGreet somebody.\n';

/** Connects a person's host, which gives this content to each form. */
async function connect(url: URL, person: Person, content?: object) {
  const headers = { Authorization: `Bearer ${tokenOf(person)}`, 'Jinn-Session': `session-of-others-${++sessions}` };
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  onTestFinished(() => client.close());
  const forms: string[][] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { requestedSchema } = params as unknown as {
      requestedSchema: { properties: { decision: { enum: string[] } } };
    };
    forms.push(requestedSchema.properties.decision.enum);
    return (content ? { action: 'accept', content } : { action: 'decline' }) as never;
  });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content: blocks, isError } = await client.callTool({ name, arguments: args });
    const text = (blocks as { text: string }[]).map((block) => block.text).join('\n');
    return isError ? `refused: ${text}` : text;
  };
  return { call, forms };
}

test.for(STORES)(
  '%s: others see who changed what, and only an admin looks into it and takes it back',
  async (store, at) => {
    if (store === 'a database' && bin === undefined) at.skip();
    const { url, root, read } = await serve(store);
    makeTree(root, { 'a.txt': TEXT });
    const [ann, bob, eve] = [await connect(url, 'ann'), await connect(url, 'bob'), await connect(url, 'eve')];
    await bob.call('edit_file', { path: 'a.txt', old_text: '2\n', new_text: 'of bob\n' });
    await ann.call('edit_file', { path: 'a.txt', old_text: '8\n', new_text: 'of ann\n' });
    const changed = read('a.txt');
    expect(await bob.call('read_file', { path: 'a.txt' })).toContain('of ann');
    const [line = '', own = ''] = (await bob.call('undo', { action: 'list' })).split('\n');
    expect(line).toMatch(/^op-\w+ \d{4}-.*Z edit_file by ann: changed a\.txt$/);
    expect(own).not.toContain(' by ');
    const [id = ''] = line.split(' ');
    const refusal =
      /^refused: permission_denied: a\.txt: ann made this change, not you \(.*Z\); you lack the scope jinn:admin \(nothing was changed\)\nask ann to undo it, or a user with the scope jinn:admin/;
    for (const action of ['preview', 'restore']) {
      for (const named of [{ id }, { id: id.slice(0, 8) }, { id, with_later: true }, { last: 1, with_later: true }]) {
        expect(await bob.call('undo', { action, ...named })).toMatch(refusal);
      }
    }
    expect(read('a.txt')).toBe(changed);
    expect(await eve.call('undo', { action: 'preview', id })).toContain('-of ann\n+8\n');
    expect(await eve.call('undo', { action: 'restore', id })).toMatch(/a\.txt: ann made this change, not you \(/);
    expect(read('a.txt')).toBe(TEXT.replace('2\n', 'of bob\n'));
    const later = await connect(url, 'bob');
    expect(await later.call('undo', { action: 'restore', last: 1 })).toMatch(/^restored: /);
    expect(read('a.txt')).toBe(TEXT);
  },
);

test.for(STORES)(
  '%s: only an admin is offered to allow something for everybody, and that counts for all',
  async (store, at) => {
    if (store === 'a database' && bin === undefined) at.skip();
    const { url, root, grants } = await serve(store);
    const isThere = () => fs.existsSync(`${root}/src`);
    const remove = async (host: Awaited<ReturnType<typeof connect>>) => {
      makeTree(root, { 'src/a.txt': 'one' });
      return host.call('run_shell', { command: 'rm -rf src' });
    };
    const forger = await connect(url, 'ann', { decision: 'Always allow, for everybody…' });
    expect([await remove(forger), isThere(), forger.forms]).toEqual([
      expect.stringMatching(/^refused: command_blocked: /),
      true,
      [['Deny', 'Allow once', 'Always allow…']],
    ]);
    expect(grants('--person', 'ann') + grants()).toBe('there are no saved approvals here\n'.repeat(2));
    const eve = await connect(url, 'eve', { decision: 'Always allow, for everybody…' });
    expect([await remove(eve), eve.forms]).toEqual([
      expect.stringContaining('[exit: 0]'),
      [['Deny', 'Allow once', 'Always allow…', 'Always allow, for everybody…']],
    ]);
    const bob = await connect(url, 'bob');
    expect([await remove(bob), isThere(), bob.forms]).toEqual([expect.stringContaining('[exit: 0]'), false, []]);
    for (const listed of [grants(), grants('--person', 'bob')]) {
      expect(listed).toMatch(/^run_shell +dangerous_command +"rm -rf src" .* for everybody\n$/);
    }
    expect(grants('revoke', '--all', '--person', 'bob')).toBe('revoked 0 approvals\n');
    expect(grants('revoke', 'run_shell', '--for', 'me')).toBe('revoked 0 approvals\n');
    expect(grants('revoke', '--all', '--for', 'everybody')).toMatch(
      /^revoked 1 approval\nrun_shell .* for everybody\n$/,
    );
    expect([await remove(bob), isThere(), bob.forms.length]).toEqual([expect.stringMatching(/^refused: /), true, 1]);
  },
);

test.for(STORES)('%s: a tool of the workspace that the operator allows runs for all', async (store, at) => {
  if (store === 'a database' && bin === undefined) at.skip();
  const { url, root, grants } = await serve(store);
  makeTree(root, { '.jinn/tools/hello/tool.md': TOOL, '.jinn/tools/hello/hello.sh': 'echo \'{"said":"well met"}\'\n' });
  const bob = await connect(url, 'bob');
  await expect(bob.call('hello', {})).rejects.toThrow(
    /is off until .* the operator trusts it for all: jinn-mcp grants trust hello/,
  );
  expect(grants('trust', 'hello', '--yes')).toContain('allowed hello\n');
  expect(grants()).toMatch(/^hello +workspace_tool .* for everybody\n$/);
  expect(await bob.call('hello', {})).toContain('well met');
  expect(grants('revoke', 'hello')).toMatch(/^revoked 1 approval\nhello /);
  await expect(bob.call('hello', {})).rejects.toThrow('is off until the user trusts it');
});

test('the operator is asked at a terminal', async (at) => {
  at.skip(spawnSync('script', ['--version']).status !== 0, 'nothing here gives a terminal');
  const { root, grants, atTerminal } = await serve('the state directory');
  makeTree(root, { '.jinn/tools/hello/tool.md': TOOL, '.jinn/tools/hello/hello.sh': 'true\n' });
  expect(atTerminal('n\n', 'trust', 'hello')).not.toContain('allowed hello');
  expect(grants()).toBe('there are no saved approvals here\n');
  const said = atTerminal('y\n', 'trust', 'hello');
  expect(said).toContain('Allow hello to run in');
  expect(said).toContain('allowed hello');
});
