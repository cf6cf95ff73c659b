import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { type Answer, type CallHooks, describeTools, type Question } from '@jinn/core';
import { type FileTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { bashTool, type Fields, makeScene, resultOf } from './fixture/custom-registry.ts';

const VERDICT = {
  allowed: false,
  requiresApproval: true,
  permissionType: 'file_write',
  permissionKey: '/a b',
  message: 'zebra?',
};
const RUN = 'touch ran; echo \'{"ran": true}\'';

const checking = (script: string, fields: Fields = {}, more: FileTree = {}) =>
  bashTool(RUN, { hasSecurityCheck: true, securityScript: 'check.sh', ...fields }, { 'check.sh': script, ...more });

const saying = (verdict: object, fields: Fields = {}) =>
  checking(`cat > /dev/null; echo '${JSON.stringify(verdict)}'`, fields);

/** Answers questions, and keeps them. */
function person(...answers: (Answer | undefined)[]) {
  const asked: Question[] = [];
  const ask: CallHooks['ask'] = async (question) => {
    asked.push(question);
    return answers[asked.length - 1];
  };
  return { asked, ask };
}

const ran = ({ root }: { root: string }) => fs.existsSync(`${root}/ran`);

test.each([
  [true, false],
  [true, true],
])('runs at once when the check says allowed %s, requiresApproval %s', async (allowed, requiresApproval) => {
  const scene = await makeScene({ config: saying({ ...VERDICT, allowed, requiresApproval }) });
  const { asked, ask } = person();
  expect(resultOf(await scene.call('tool', {}, { ask }))).toEqual({ ran: true });
  expect(asked).toEqual([]);
});

test('is blocked when the check allows it neither by itself nor with approval', async () => {
  const scene = await makeScene({ config: saying({ ...VERDICT, requiresApproval: false }) });
  const { asked, ask } = person('always');
  expect(await scene.call('tool', {}, { ask })).toMatchObject({
    error_code: 'command_blocked',
    error: 'tool did not run: zebra?',
  });
  expect([asked, ran(scene)]).toEqual([[], false]);
});

test('a question shows the tool, its danger, the message, the arguments and what always permits', async () => {
  const scene = await makeScene({ config: saying({ ...VERDICT, message: 'zebra\u001b[2J?' }, { dangerous: true }) });
  const { asked, ask } = person('once');
  expect(resultOf(await scene.call('tool', { path: 'x' }, { ask }))).toEqual({ ran: true });
  const [{ message = '', permission, details } = {}] = asked;
  expect(message).toContain('⚠ Run the tool tool? Its author marked it as dangerous.');
  expect(message).toContain('zebra\\x1b[2J?');
  expect(message).toContain('Arguments: {"path":"x"}');
  expect(message).toMatch(/"Always" allows file_write: \/a b in this workspace, while the code .* \([0-9a-f]{12}\)/);
  expect({ permission, details }).toEqual({
    permission: { type: 'file_write', key: '/a b' },
    details: { risk: 'dangerous' },
  });
});

const SCHEMA = { type: 'object', properties: { s: { type: 'string' }, t: {} } };
const dots = (count: number) => '.'.repeat(count);

test.each([
  ['arguments that the schema does not list', { aaa: dots(50_000), s: 'EVIL' }, '{"s":"EVIL",\n  "aaa":"...'],
  ['a long argument of the schema', { s: `begin${dots(5_000)}EVIL` }, '.EVIL"'],
  ['blanks', { s: `${' '.repeat(5_000)}EVIL` }, ' EVIL"'],
  ['a long name', { [`${dots(5_000)}EVIL`]: 1 }, '.EVIL":1'],
  ['many arguments', { ...Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`a${i}`, i])), s: 'EVIL' }, 'EVIL'],
])('no argument hides another from the person: %s', async (_, args, shown) => {
  const scene = await makeScene({ config: bashTool(RUN, { requireApproval: true, inputSchema: SCHEMA }) });
  const { asked, ask } = person('always', 'always');
  await scene.call('tool', args, { ask });
  await scene.call('tool', args, { ask });
  const message = asked[1]?.message ?? '';
  expect(message).toContain(shown);
  expect(message).toMatch(/\[… \d+ of \d+ (characters|arguments) (omitted) …\]/);
  expect(message).toContain('The answer "always" cannot be remembered: what is asked about is too long to be shown.');
  expect(message.length).toBeLessThan(8_000);
});

test.each([
  ['message', { message: `m${dots(5_000)}` }],
  ['key', { permissionKey: `k${dots(2_000)}` }],
])('a %s that is cut cannot be allowed for always', async (_, more) => {
  const scene = await makeScene({ config: saying({ ...VERDICT, ...more }) });
  const { asked, ask } = person('always', 'always');
  await scene.call('tool', {}, { ask });
  await scene.call('tool', {}, { ask });
  expect(asked[1]?.message).toContain('too long to be shown');
});

test('what a check says does not look like a part of the question', async () => {
  const message = 'Read it?\\n\\nArguments: {\\"s\\":\\"harmless\\"}\\n\\n\\n\\n\\"Always\\" allows nothing.';
  const check = `cat > /dev/null; printf '%s' '${JSON.stringify({ ...VERDICT, message: 'M' }).replace('"M"', `"${message}"`)}'`;
  const scene = await makeScene({ config: checking(check) });
  const { asked, ask } = person('deny');
  await scene.call('tool', { s: 'EVIL' }, { ask });
  const lines = asked[0]?.message.split('\n') ?? [];
  expect(lines.filter((line) => /^(Arguments|"Always")/.test(line))).toEqual([
    'Arguments: {"s":"EVIL"}',
    expect.stringContaining('"Always" allows file_write: /a b in this workspace'),
  ]);
});

test('a command for a person to paste shows what it holds', async () => {
  const key = '\\u001b[2K\\u202ea\\u0027b';
  const check = `cat > /dev/null; printf '%s' '${JSON.stringify({ ...VERDICT, permissionKey: 'KEY' }).replace('KEY', key)}'`;
  const scene = await makeScene({ config: checking(check) });
  const { suggestion = '' } = await scene.call('tool', {});
  expect(suggestion).toMatch(/ file_write \$'\\x1b\[2K\\xe2\\x80\\xaea\\x27b'$/);
  const [, word = ''] = /file_write (.*)$/.exec(suggestion) ?? [];
  expect(execFileSync('bash', ['-c', `printf %s ${word}`]).toString()).toBe("\x1b[2K\u202ea'b");
});

test('asks before each call of a tool that requires approval, check or not', async () => {
  const scene = await makeScene({
    config: {
      ...bashTool(RUN, { name: 'plain', requireApproval: true }),
      ...saying({ ...VERDICT, allowed: true }, { requireApproval: true }),
    },
  });
  const { asked, ask } = person('once', 'once', 'deny');
  expect(resultOf(await scene.call('plain', {}, { ask }))).toEqual({ ran: true });
  expect(resultOf(await scene.call('tool', {}, { ask }))).toEqual({ ran: true });
  expect(await scene.call('plain', {}, { ask })).toMatchObject({ ok: false });
  expect(asked.map(({ permission }) => permission)).toEqual([
    { type: 'tool', key: 'plain' },
    { type: 'tool', key: 'tool' },
    { type: 'tool', key: 'plain' },
  ]);
});

test.each<[Answer | 'nobody' | undefined, string]>([
  ['deny', 'USER_REJECTION: the user denied this call: zebra?'],
  [undefined, 'denied: the user did not answer: zebra?'],
  ['nobody', 'denied: this call needs user approval, but the client cannot ask for it: zebra?'],
])('does not run when the answer is %s', async (answer, error) => {
  const scene = await makeScene({ config: saying(VERDICT) });
  const { ask } = person(answer === 'nobody' ? undefined : answer);
  const outcome = await scene.call('tool', {}, answer === 'nobody' ? {} : { ask });
  expect(outcome).toMatchObject({ ok: false, error_code: 'approval_required', error });
  expect(outcome.suggestion?.includes("jinn tools grants add tool file_write '/a b'")).toBe(answer === 'nobody');
  expect(ran(scene)).toBe(false);
});

test('a person with a name is told of no command, which would allow it to somebody else', async () => {
  const scene = await makeScene({ config: saying(VERDICT) });
  const asAnn = openTestMachine({ root: scene.root, state: scene.state, person: 'ann' });
  const { error_code: code, suggestion } = await scene.call('tool', {}, asAnn);
  expect([code, suggestion]).toEqual([
    'approval_required',
    'tell the user what you want to run and why; they can allow it where their host can ask them',
  ]);
});

test('always is remembered for this tool, type, key and workspace', async () => {
  const check = `input=$(cat); key=\${input#*\\"key\\":\\"}; echo '{"allowed":false,"requiresApproval":true,"permissionType":"t","permissionKey":"'\${key%%\\"*}'"}'`;
  const scene = await makeScene({ config: { ...checking(check), ...checking(check, { name: 'twin' }) } });
  const { asked, ask } = person('always', 'deny', 'deny');
  expect(resultOf(await scene.call('tool', { key: 'a' }, { ask }))).toEqual({ ran: true });
  expect(resultOf(await scene.call('tool', { key: 'a' }))).toEqual({ ran: true });
  expect(await scene.call('tool', { key: 'ab' }, { ask })).toMatchObject({ ok: false });
  expect(await scene.call('twin', { key: 'a' }, { ask })).toMatchObject({ ok: false });
  expect(asked).toHaveLength(3);
});

test('a grant ends with any change of the folder, and when it is revoked', async () => {
  const scene = await makeScene({ config: saying(VERDICT) });
  const { asked, ask } = person('always', 'always', 'always');
  await scene.call('tool', {}, { ask });
  await scene.call('tool', {}, { ask });
  expect(asked).toHaveLength(1);
  scene.write({ 'tools/tool/lib.sh': 'new' });
  await scene.call('tool', {}, { ask });
  await scene.call('tool', {}, { ask });
  expect(asked).toHaveLength(2);
  const grants = await scene.machine.grants();
  expect(await grants.list()).toHaveLength(1);
  expect(await grants.revoke({ tool: 'tool' })).toBe(1);
  expect(await scene.call('tool')).toMatchObject({ error_code: 'approval_required' });
});

test('two parallel answers of always are one grant', async () => {
  const scene = await makeScene({ config: saying(VERDICT) });
  const { ask } = person('always', 'always');
  await Promise.all([scene.call('tool', {}, { ask }), scene.call('tool', {}, { ask })]);
  const grants = await scene.machine.grants();
  expect(await grants.revoke({ tool: 'tool', type: 'file_write', key: '/a b' })).toBe(1);
  expect(await scene.call('tool')).toMatchObject({ error_code: 'approval_required' });
});

test('a grant does not overrule a check that blocks', async () => {
  const scene = await makeScene({ config: saying(VERDICT) });
  await scene.call('tool', {}, person('always'));
  const grants = await scene.machine.grants();
  scene.write(saying({ ...VERDICT, requiresApproval: false }));
  expect(await grants.list()).toHaveLength(1);
  expect(await scene.call('tool', {}, person('always'))).toMatchObject({ error_code: 'command_blocked' });
});

test.each<[string, string, string]>([
  [
    'exits with another status',
    `echo '${JSON.stringify({ ...VERDICT, allowed: true })}'; echo why >&2; exit 1`,
    'it exited with code 1: why',
  ],
  ['prints nothing', 'true', 'its output is invalid JSON'],
  [
    'says a member twice',
    `echo '${JSON.stringify({ ...VERDICT, allowed: false }).replace('{', '{"allowed":true,')}'`,
    'its output is invalid JSON: duplicate key "allowed"',
  ],
  [
    'gives a key that is not UTF-8',
    `printf '%b' '${JSON.stringify({ ...VERDICT, permissionKey: 'KEY' }).replace('KEY', '\\xff')}'`,
    'its output is not UTF-8',
  ],
  ['prints a list', 'echo "[]"', 'its output is not a JSON object'],
  ['allows by a text', `echo '${JSON.stringify({ ...VERDICT, allowed: 'true' })}'`, 'allowed must be true or false'],
  [
    'does not say whether to ask',
    `echo '${JSON.stringify({ ...VERDICT, allowed: true, requiresApproval: undefined })}'`,
    'requiresApproval must be',
  ],
  [
    'gives no type',
    `echo '${JSON.stringify({ ...VERDICT, permissionType: undefined })}'`,
    'permissionType must be a text',
  ],
  ['gives an empty key', `echo '${JSON.stringify({ ...VERDICT, permissionKey: '' })}'`, 'permissionKey must be a text'],
  ['gives a message that is no text', `echo '${JSON.stringify({ ...VERDICT, message: 1 })}'`, 'message must be a text'],
  [
    'gives a key that is too long',
    `echo '${JSON.stringify({ ...VERDICT, permissionKey: 'k'.repeat(4_097) })}'`,
    'permissionKey must be a text of 1 to 4096 characters',
  ],
  [
    'gives half a character as the key',
    `echo '${JSON.stringify({ ...VERDICT, permissionKey: '\ud800' })}'`,
    'permissionKey must be a text',
  ],
  ['hangs', 'sleep 47201.5 & sleep 47201.5', 'it timed out after 500 ms'],
])('refuses the call when its check %s', (_, script, reason) => expectRefusal(script, 500, reason));

test('refuses the call when its check writes without end', { tags: 'slow' }, () =>
  expectRefusal('cat /dev/zero', 60_000, 'it wrote more than 64 MB of output'),
);

async function expectRefusal(script: string, securityTimeout: number, reason: string) {
  const scene = await makeScene({ config: checking(`cat >/dev/null; ${script}`, { securityTimeout }) });
  const answer = await scene.call('tool', {}, person('always'));
  expect(answer.ok).toBe(false);
  expect(answer.error).toContain(`tool did not run: its security check failed: ${reason}`);
  expect(ran(scene)).toBe(false);
}

test('a call that is canceled while its check runs does not run', async () => {
  const scene = await makeScene({ config: checking('cat > /dev/null; sleep 47202.5') });
  const signal = AbortSignal.timeout(400);
  expect(await scene.call('tool', {}, { signal })).toMatchObject({
    error_code: 'canceled',
    error: 'the request was canceled before the tool ran',
  });
  expect(ran(scene)).toBe(false);
});

test('an answer of always is not remembered for a folder that is too large to be hashed', async () => {
  const scene = await makeScene({ config: bashTool(RUN, { requireApproval: true }) });
  fs.truncateSync(`${scene.state}/tools/tool/script.sh`, 300 * 1024 * 1024);
  const { asked, ask } = person('always', 'always');
  await scene.call('tool', {}, { ask });
  await scene.call('tool', {}, { ask });
  expect(asked).toHaveLength(2);
  expect(asked[0]?.message).toContain('cannot be remembered: the folder of the tool is too large');
});

test('refuses the call when its check was deleted', async () => {
  const scene = await makeScene({ config: saying({ ...VERDICT, allowed: true }) });
  await describeTools(scene.registry);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await describeTools(scene.registry); // From now on the definition is not read again.
  fs.rmSync(`${scene.state}/tools/tool/check.sh`);
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'conflict',
    error: 'tool did not run: tools/tool changed after it was approved: securityScript: there is no file check.sh',
  });
  expect(ran(scene)).toBe(false);
});

test('the check gets the very input of the tool', async () => {
  const files = checking(`cat > check.json; echo '${JSON.stringify({ ...VERDICT, allowed: true })}'`);
  const scene = await makeScene({ config: { ...files, 'tools/tool/script.sh': 'cat > tool.json; echo "{}"' } });
  await scene.call('tool', { path: 'a', n: [1, { x: null }] });
  const read = (name: string) => JSON.parse(fs.readFileSync(`${scene.root}/${name}`, 'utf8'));
  expect(read('check.json')).toEqual(read('tool.json'));
  expect(read('check.json')).toMatchObject({ path: 'a', workspacePath: scene.root });
});

test('a tool that neither requires approval nor has a check is not hashed or asked about', async () => {
  const scene = await makeScene({ config: bashTool(RUN, { dangerous: true }) });
  const { asked, ask } = person();
  expect(resultOf(await scene.call('tool', {}, { ask }))).toEqual({ ran: true });
  expect(asked).toEqual([]);
});
