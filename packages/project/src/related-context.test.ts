import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallOptions, call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { relatedContext } from './related-context.ts';

/** Longer than what is too fresh to be told apart. */
const SETTLE_MS = 80;

type Files = NonNullable<CallOptions['files']>;

interface Result {
  readonly type: string;
  readonly name: string;
  readonly path: string;
  readonly plugin?: string;
}

interface Answer {
  readonly results: readonly Result[];
  /** Their paths below the home. */
  readonly files: readonly string[];
  readonly index: { readonly rebuilt: boolean; readonly source_count: number };
  readonly warnings: readonly string[];
}

/** A home of real files, with the state directory where it is by default. */
function makeHome(files: Files = {}) {
  const home = makeTempDirectory();
  makeTree(home, files);
  const state = `${home}/.config/jinn`;
  const ask = async (args: object | string, client?: string): Promise<Answer> => {
    const given = typeof args === 'string' ? { query: args } : args;
    const envelope = await call(relatedContext, given, { home, state, ...(client !== undefined && { client }) });
    if (!envelope.ok) throw new Error(`${envelope.error_code}: ${envelope.error}`);
    const data = JSON.parse(envelope.result ?? '');
    return { ...data, files: data.results.map((result: Result) => path.relative(home, result.path)) };
  };
  const configure = (paths: unknown) =>
    makeTree(state, { 'config.json': JSON.stringify({ related_context: { paths } }) });
  return { home, state, ask, configure };
}

const EVERYWHERE: Files = {
  '.claude/kb/k.md': '# Widget assembly\n',
  '.claude/skills/s.md': '# Widget assembly\n',
  '.claude/agents/a.md': '# Widget assembly\n',
  '.claude/commands/c.md': '# Widget assembly\n',
  '.codex/skills/x.md': '# Widget assembly\n',
  '.pi/agent/skills/p.md': '# Widget assembly\n',
};

const CLAUDE = ['.claude/agents/a.md', '.claude/commands/c.md', '.claude/kb/k.md', '.claude/skills/s.md'];

test.for([
  [undefined, 'none', ['.claude/kb/k.md']],
  ['claude', 'claude', CLAUDE],
  [' Claude ', 'claude', CLAUDE],
  ['codex', 'codex', ['.claude/kb/k.md', '.codex/skills/x.md']],
  ['pi', 'pi', ['.claude/kb/k.md', '.pi/agent/skills/p.md']],
  ['all', 'all', [...CLAUDE, '.codex/skills/x.md', '.pi/agent/skills/p.md']],
] as const)('searches the directories of the client %s and the shared ones', async ([client, name, expected]) => {
  const { ask, state } = makeHome(EVERYWHERE);
  const { files, index } = await ask({ query: 'widget assembly', limit: 20 }, client);
  expect(files.toSorted()).toEqual(expected);
  expect(index).toMatchObject({ client: name, entry_count: expected.length, rebuilt: true });
  expect(fs.statSync(`${state}/context-index-${name}.json`).mode & 0o777).toBe(0o600);
});

const AGENTS: Files = {
  '.claude/skills/s.md': '# Widget assembly\n',
  '.codex/skills/x.md': '# Widget assembly\n',
  '.config/opencode/skills/o.md': '# Widget assembly\n',
  '.config/opencode/command/o.md': '# Widget assembly\n',
  '.cursor/skills/u.md': '# Widget assembly\n',
  '.copilot/agents/t.md': '# Widget assembly\n',
  '.gemini/skills/g.md': '# Widget assembly\n',
  '.qwen/commands/q.md': '# Widget assembly\n',
  '.codeium/windsurf/skills/w.md': '# Widget assembly\n',
  '.cline/skills/l.md': '# Widget assembly\n',
  '.roo/skills/r.md': '# Widget assembly\n',
  '.config/goose/skills/h.md': '# Widget assembly\n',
  '.kiro/skills/i.md': '# Widget assembly\n',
  '.junie/skills/j.md': '# Widget assembly\n',
  '.factory/droids/d.md': '# Widget assembly\n',
};

test.for([
  ['opencode', ['.claude/skills/s.md', '.config/opencode/command/o.md', '.config/opencode/skills/o.md']],
  ['cursor', ['.claude/skills/s.md', '.codex/skills/x.md', '.cursor/skills/u.md']],
  ['copilot', ['.copilot/agents/t.md']],
  ['gemini', ['.gemini/skills/g.md']],
  ['qwen', ['.qwen/commands/q.md']],
  ['windsurf', ['.codeium/windsurf/skills/w.md']],
  ['cline', ['.cline/skills/l.md']],
  ['roo', ['.roo/skills/r.md']],
  ['goose', ['.claude/skills/s.md', '.config/goose/skills/h.md']],
  ['kiro', ['.kiro/skills/i.md']],
  ['junie', ['.junie/skills/j.md']],
  ['factory', ['.factory/droids/d.md']],
  ['all', Object.keys(AGENTS).toSorted()],
] as const)('searches what %s reads in the home', async ([client, expected]) => {
  const { files } = await makeHome(AGENTS).ask({ query: 'widget assembly', limit: 20 }, client);
  expect(files.toSorted()).toEqual(expected);
});

test('searches the skills in the home that no one agent owns, for any client', async () => {
  const shared = ['.agents/skills/one.md', '.config/agents/skills/two.md'];
  const { ask } = makeHome(Object.fromEntries(shared.map((file) => [file, '# Widget assembly\n'])));
  for (const client of [undefined, 'claude', 'gemini', 'all']) {
    const { files, results } = await ask('widget', client);
    expect(files.toSorted()).toEqual(shared);
    expect(results.map(({ type }) => type)).toEqual(['skill', 'skill']);
  }
});

test.for([
  ['codex', 'codex'],
  [' Codex\n', 'codex'],
  ['', 'claude'],
  [' ', 'claude'],
] as const)('prefers the client %j in the arguments to that of the request: %s', async ([client, name]) => {
  const { ask } = makeHome(EVERYWHERE);
  const { files, index } = await ask({ query: 'widget', client }, 'claude');
  expect(files.toSorted()).toEqual(name === 'codex' ? ['.claude/kb/k.md', '.codex/skills/x.md'] : CLAUDE);
  expect(index).toMatchObject({ client: name });
});

test('warns if no client is named, and if there is nothing to search', async () => {
  const { ask, state } = makeHome();
  const { results, warnings, index } = await ask('widget');
  expect(results).toEqual([]);
  expect(index.source_count).toBe(0);
  expect(warnings).toEqual([
    'no client is named, so only shared context is searched: pass "client"',
    'there is no directory with context: put Markdown into ~/.claude/kb, or name directories in related_context.paths of config.json',
  ]);
  expect(fs.existsSync(`${state}/context-index-none.json`)).toBe(false);
});

test.for([
  ['an unknown client', { query: 'x', client: 'nope' }, undefined, 'invalid related_context client: "nope"'],
  ['an unknown client of the request', { query: 'x' }, '../../x', 'invalid related_context client: "../../x"'],
  ['an unknown type', { query: 'x', types: ['doc'] }, 'claude', 'types[0]: '],
  ['types that are no array', { query: 'x', types: 'kb' }, 'claude', 'types: '],
  ['no query', {}, 'claude', 'missing required argument query'],
  ['an empty query', { query: '' }, 'claude', 'query'],
  ['a blank query', { query: ' \n' }, 'claude', 'query is empty'],
] as const)('refuses %s', async ([, args, client, message]) => {
  const answer = await call(relatedContext, args, { home: makeTempDirectory(), ...(client && { client }) });
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_args', error: expect.stringContaining(message) });
});

test('types picks kinds, and none means all', async () => {
  const { ask } = makeHome(EVERYWHERE);
  const typesOf = async (types: string[]) => {
    const { results } = await ask({ query: 'widget', types, limit: 20 }, 'claude');
    return results.map(({ type }) => type).toSorted();
  };
  expect(await typesOf(['skill'])).toEqual(['skill']);
  expect(await typesOf(['kb', 'agent'])).toEqual(['agent', 'kb']);
  expect(await typesOf([])).toEqual(['agent', 'command', 'kb', 'skill']);
});

test('limit is one for all kinds together: 5 unless told, at most 20', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`.claude/${i % 2 ? 'kb' : 'skills'}/n${i}.md`, '# Gadget\n']),
  );
  const { ask } = makeHome(files);
  const count = async (args: object) => (await ask({ query: 'gadget', ...args }, 'claude')).results.length;
  expect(await count({})).toBe(5);
  expect(await count({ types: ['kb', 'skill'], limit: 3 })).toBe(3);
  expect(await count({ max_results: 3 })).toBe(3);
  expect(await count({ limit: 100 })).toBe(20);
  expect(await count({ limit: 0 })).toBe(5);
});

test('tells what an entry is, and nothing of its content', async () => {
  const { ask, home } = makeHome({
    '.claude/skills/race-detector/SKILL.md':
      '---\ndescription: "Find data races: quickly"\ntags: [go, testing]\nsource_file: races.txt\n---\n# Data races\n\nBODYTEXT\n',
  });
  const { results } = await ask('goroutine data RACE in golang', 'claude');
  expect(results).toEqual([
    {
      type: 'skill',
      name: 'race-detector',
      title: 'Data races',
      description: 'Find data races: quickly',
      path: `${home}/.claude/skills/race-detector/SKILL.md`,
      score: expect.any(Number),
      matched: ['data', 'golang', 'race'],
      source: 'races.txt',
    },
  ]);
});

test('looks into configured directories: absolute, below the home, and beside config.json', async () => {
  const outside = makeTempDirectory();
  makeTree(outside, { 'team/run.md': '# Flume retry\n', 'x-commands/do.md': '# Flume retry\n' });
  const { ask, configure, home } = makeHome({
    'notes/agent/n.md': '# Flume retry\n',
    '.config/jinn/own/skills/o.md': '# Flume retry\n',
  });
  configure([`${outside}/team`, '~/notes/agent', 'own/skills', `${outside}/x-commands`, '~/notes/../notes/agent/']);
  const { results, index } = await ask('flume retry');
  expect(results.map((result) => [result.type, result.path]).toSorted()).toEqual(
    [
      ['command', `${outside}/x-commands/do.md`],
      ['kb', `${home}/notes/agent/n.md`],
      ['kb', `${outside}/team/run.md`],
      ['skill', `${home}/.config/jinn/own/skills/o.md`],
    ].toSorted(),
  );
  expect(index.source_count).toBe(4);
});

test('warns of a configured path that is not valid, and searches the others', async () => {
  const { ask, configure, home } = makeHome({
    'good/n.md': '# Flume\n',
    '.ssh/kb/k.md': '# Flume\n',
    'deploy/.env.d/k.md': '# Flume\n',
    file: 'Flume',
    fifo: { fifo: true },
    innocent: { symlink: '.ssh/kb' },
  });
  configure(['~/good', '~/nope', '~/.ssh/kb', '~/deploy/.ENV.d', '~/file', '~/fifo', '~/innocent', 7, '', 'a\0b']);
  const { files, warnings } = await ask('flume', 'claude');
  expect(files).toEqual(['good/n.md']);
  expect(warnings).toEqual([
    'skip configured related_context path "~/nope": no such directory',
    'skip configured related_context path "~/.ssh/kb": blocked: sensitive path',
    'skip configured related_context path "~/deploy/.ENV.d": blocked: sensitive path',
    'skip configured related_context path "~/file": not a directory',
    'skip configured related_context path "~/fifo": not a directory',
    'skip configured related_context path "~/innocent": blocked: sensitive path',
    'skip configured related_context path 7: not a path',
    'skip configured related_context path "": not a path',
    'skip configured related_context path "a\\u0000b": not an absolute path',
  ]);
  expect(JSON.stringify(warnings)).not.toContain(home);
});

test.for([
  ['no JSON', '{"related_context":', [expect.stringMatching(/^config\.json: invalid JSON: /)]],
  ['a key that stands twice', '{"lsp":{},"lsp":{}}', ['config.json: invalid JSON: duplicate key "lsp"']],
  ['a FIFO', { fifo: true }, ['config.json is not a regular file']],
  ['null', 'null', ['config.json: it must hold an object']],
  ['a list', '[]', ['config.json: it must hold an object']],
  ['related_context as a list', '{"related_context":[]}', ['config.json: "related_context" is not an object']],
  ['paths as a number', '{"related_context":{"paths":5}}', ['config.json: "related_context.paths" is not a list']],
  ['deep nesting', '['.repeat(100_000), [expect.stringMatching(/^config\.json: invalid JSON: /)]],
  ['a prototype', '{"__proto__":{"related_context":{"paths":["~/x"]}}}', []],
  ['without paths', '{"related_context":{},"sandbox":"off"}', []],
] as const)('takes a config.json that is %s', async ([, config, faults]) => {
  const { ask, state } = makeHome(EVERYWHERE);
  makeTree(state, { 'config.json': config });
  const { files, warnings = [] } = await ask('widget', 'pi');
  expect(files.toSorted()).toEqual(['.claude/kb/k.md', '.pi/agent/skills/p.md']);
  expect(warnings.map((warning: string) => warning.replace(/^skip related_context\.paths: /, ''))).toEqual(faults);
});

test.for([
  ['with a byte order mark', '\ufeff{"related_context":{"paths":["~/notes"]}}'],
  ['with one path instead of a list', '{"related_context":{"paths":"~/notes"}}'],
])('takes a config.json %s', async ([, config = '']) => {
  const { ask, state } = makeHome({ 'notes/n.md': '# Widget\n' });
  makeTree(state, { 'config.json': config });
  const { files, warnings } = await ask('widget', 'pi');
  expect(files).toEqual(['notes/n.md']);
  expect(warnings).toBeUndefined();
});

test('follows no link below a root, enters no secret place, and opens nothing but regular Markdown files', async () => {
  const { ask, home } = makeHome({
    '.ssh/id_rsa': 'SECRETKEYLINE gadget\n',
    'private/diary.md': '# Gadget diary\n',
    '.claude/kb/plain.md': '# Gadget\n',
    '.claude/kb/.hidden/h.md': '# Gadget\n',
    '.claude/kb/UPPER.MD': '# Gadget\n',
    '.claude/kb/x.md': { symlink: '../../.ssh/id_rsa' },
    '.claude/kb/inside.md': { symlink: 'plain.md' },
    '.claude/kb/dir': { symlink: '../../private' },
    '.claude/kb/.git/g.md': '# Gadget\n',
    '.claude/kb/.env.md': '# Gadget\n',
    '.claude/kb/.AWS/g.md': '# Gadget\n',
    '.claude/kb/node_modules/m/README.md': '# Gadget\n',
    '.claude/kb/note.txt': '# Gadget\n',
    '.claude/kb/folder.md/': '',
    '.claude/kb/line\nbreak.md': '# Gadget\n',
    '.claude/kb/line\nbreak/g.md': '# Gadget\n',
    '.claude/kb/line\nbreak.txt': '# Gadget\n',
    '.claude/kb/fifo.md': { fifo: true },
  });
  const { files, warnings, results } = await ask({ query: 'gadget secretkeyline', limit: 20 });
  expect(files.toSorted()).toEqual(['.claude/kb/.hidden/h.md', '.claude/kb/UPPER.MD', '.claude/kb/plain.md']);
  expect(warnings).toContain('links are not followed: 3 skipped');
  expect(warnings).toContain('names with a line break: 2 skipped');
  const kept = fs.readFileSync(`${home}/.config/jinn/context-index-none.json`, 'utf8');
  expect(JSON.stringify(results) + kept).not.toMatch(/secretkeyline|diary/i);
});

test('accepts a root that is a link of the user, but not one to a secret', async () => {
  const { ask } = makeHome({
    'dotfiles/kb/k.md': '# Gadget\n',
    '.ssh/notes/s.md': '# Gadget\n',
    '.claude/kb': { symlink: '../dotfiles/kb' },
    '.claude/skills': { symlink: '../.ssh/notes' },
  });
  const { files, warnings } = await ask('gadget', 'claude');
  expect(files).toEqual(['dotfiles/kb/k.md']);
  expect(warnings).toEqual(['skip ~/.claude/skills: blocked: sensitive path']);
});

test('warns of a file that cannot be read', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may read everything');
  const { ask } = makeHome({
    '.claude/kb/open.md': '# Gadget\n',
    '.claude/kb/closed.md': { content: '# Gadget\n', mode: 0 },
  });
  const { files, warnings } = await ask('gadget', 'all');
  expect(files).toEqual(['.claude/kb/open.md']);
  expect(warnings).toEqual(['files that cannot be read: 1 left out']);
});

test('warns of a directory that cannot be read, and searches the others', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may read everything');
  const { ask, configure, home } = makeHome({
    '.claude/kb/open.md': '# Gadget\n',
    'team/t.md': '# Gadget\n',
    'shut/inner/i.md': '# Gadget\n',
    '.claude/kb/d/d.md': '# Gadget\n',
  });
  configure(['~/team', '~/shut/inner']);
  for (const [name, mode] of [
    ['team', 0o311],
    ['shut', 0],
    ['.claude/kb/d', 0],
  ] as const) {
    fs.chmodSync(`${home}/${name}`, mode);
  }
  const { files, warnings } = await ask('gadget', 'all');
  for (const name of ['team', 'shut', '.claude/kb/d']) fs.chmodSync(`${home}/${name}`, 0o755);
  expect(files).toEqual(['.claude/kb/open.md']);
  expect(warnings).toEqual([
    'skip configured related_context path "~/shut/inner": permission denied: the way to it',
    'in ~/.claude/kb: d: permission denied, its content was skipped',
    'skip configured related_context path "~/team": permission denied',
  ]);
});

test('takes the type of an entry from the innermost directory', async () => {
  const { ask, configure } = makeHome({
    '.claude/skills/s/SKILL.md': '# Gadget\n',
    'notes/skills/a.md': '# Gadget\n',
    'notes/b.md': '# Gadget\n',
    'notes/commands/c.md': '# Gadget\n',
  });
  configure(['~/.claude', '~/notes/skills', '~/notes', '~/notes/commands']);
  const { results } = await ask({ query: 'gadget', limit: 20 }, 'claude');
  expect(results.map(({ type, name }) => `${type} ${name}`).toSorted()).toEqual([
    'command c',
    'kb b',
    'skill a',
    'skill s',
  ]);
});

test('reads only the beginning of a large file', async () => {
  const { ask } = makeHome({ '.claude/kb/l.md': `# Large\n${'x\n'.repeat(131_072)}# Toolate\n` });
  expect((await ask('large')).files).toEqual(['.claude/kb/l.md']);
  expect((await ask('toolate')).files).toEqual([]);
});

const installed = (plugins: object): Files => ({
  '.claude/plugins/installed_plugins.json': JSON.stringify({ plugins }),
});

test('searches the components of installed plugins', async () => {
  const { ask, home } = makeHome({
    'plug/skills/one/SKILL.md': '# Sprocket\n',
    'plug/agents/two.md': '# Sprocket\n',
    'plug/commands/three.md': '# Sprocket\n',
    'plug/more/four.md': '# Sprocket\n',
    'plug/single.md': '# Sprocket\n',
    'plug/docs/no.md': '# Sprocket\n',
    'plug/.claude-plugin/plugin.json': JSON.stringify({ skills: './more', commands: ['./single.md'] }),
    'bare/skills/five.md': '# Sprocket\n',
  });
  makeTree(home, installed({ demo: [{ installPath: `${home}/plug` }], bare: { installPath: `${home}/bare` } }));
  const { results, warnings } = await ask({ query: 'sprocket', limit: 20 }, 'claude');
  expect(results.map(({ type, name, plugin }) => `${plugin} ${type} ${name}`).toSorted()).toEqual([
    'bare skill five',
    'demo agent two',
    'demo command single',
    'demo command three',
    'demo skill four',
    'demo skill one',
  ]);
  expect(warnings).toBeUndefined();
  expect((await ask('sprocket', 'codex')).results).toEqual([]);
});

test('confines a plugin to its directory, and warns of what is wrong with it', async () => {
  const { ask, home } = makeHome({
    'private/p.md': '# Sprocket\n',
    'plug/skills': { symlink: '../private' },
    'plug/.claude-plugin/plugin.json': JSON.stringify({
      commands: ['../private', 5, 'nope', '.git', 'run.sh', 'fifo.md', 'line\nbreak'],
    }),
    'plug/run.sh': '# Sprocket\n',
    'plug/fifo.md': { fifo: true },
    'plug/line\nbreak/l.md': '# Sprocket\n',
    'listed/.claude-plugin/plugin.json': '[]',
    'broken/agents/ok.md': '# Sprocket\n',
    'broken/.claude-plugin/plugin.json': '{',
    '.aws/plug/skills/s.md': '# Sprocket\n',
  });
  const plugins = {
    plug: [{ installPath: `${home}/plug` }, {}],
    broken: [{ installPath: `${home}/broken` }],
    listed: [{ installPath: `${home}/listed` }],
    gone: [{ installPath: `${home}/gone` }],
    secret: [{ installPath: `${home}/.aws/plug` }],
    relative: [{ installPath: 'plug' }],
    number: 5,
  };
  makeTree(home, installed(plugins));
  const { files, warnings } = await ask('sprocket', 'claude');
  expect(files).toEqual(['broken/agents/ok.md']);
  expect(warnings).toEqual([
    'skip "skills" of plugin "plug": blocked: skills is outside its directory',
    'skip "../private" of plugin "plug": blocked: ../private is outside its directory',
    'skip 5 of plugin "plug": not a path',
    'skip "nope" of plugin "plug": file not found: nope',
    'skip ".git" of plugin "plug": blocked: sensitive path: .git',
    'skip "run.sh" of plugin "plug": not a directory',
    'skip "fifo.md" of plugin "plug": not a directory',
    'skip "line\\nbreak" of plugin "plug": a name with a line break',
    'skip plugin "plug": it has no installPath',
    'skip .claude-plugin/plugin.json of plugin "broken": not valid JSON',
    'skip .claude-plugin/plugin.json of plugin "listed": its content is not an object',
    'skip plugin "gone": no such directory',
    'skip plugin "secret": blocked: sensitive path',
    'skip plugin "relative": not an absolute path',
    'skip plugin "number": it has no installPath',
  ]);
});

test.for([
  ['[]', 'its content is not an object'],
  ['{"plugins":["x"]}', '"plugins" is not an object'],
])('warns of a list of plugins that is %s: %s', async ([list = '', fault]) => {
  const { ask } = makeHome({ '.claude/plugins/installed_plugins.json': list });
  const { warnings } = await ask('sprocket', 'claude');
  expect(warnings).toContain(`skip ~/.claude/plugins/installed_plugins.json: ${fault}`);
});

test('reads nothing again in a second call, unless it is told to rebuild', async () => {
  const { ask } = makeHome(EVERYWHERE);
  await wait(SETTLE_MS);
  const first = await ask('widget', 'claude');
  const second = await ask('widget', 'claude');
  expect(second.index).toEqual({ ...first.index, rebuilt: false });
  expect(second.results).toEqual(first.results);
  expect((await ask({ query: 'widget', rebuild: true }, 'claude')).index.rebuilt).toBe(true);
});

test('does not change the access time of a file that it reads', async () => {
  const { ask, home } = makeHome(EVERYWHERE);
  const look = () =>
    fs.readdirSync(`${home}/.claude`, { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mtimeMs, ctimeMs, size } = fs.lstatSync(`${home}/.claude/${name}`);
      return [name, mtimeMs, ctimeMs, size];
    });
  const before = look();
  await ask({ query: 'widget', rebuild: true }, 'claude');
  expect(look()).toEqual(before);
});

const CHANGES: readonly (readonly [string, (kb: string) => void])[] = [
  ['a file is written over, with the same size', (kb) => fs.writeFileSync(`${kb}/sub/a.md`, '# Gizmo one\n')],
  [
    'a file is written over, and given the size and time that it had',
    (kb) => {
      const { atime, mtime } = fs.statSync(`${kb}/sub/a.md`);
      fs.writeFileSync(`${kb}/sub/a.md`, '# Gizmo one\n');
      fs.utimesSync(`${kb}/sub/a.md`, atime, mtime);
    },
  ],
  [
    'another file of the same size and time takes its place',
    (kb) => {
      fs.writeFileSync(`${kb}/../other`, '# Gizmo one\n');
      const { atime, mtime } = fs.statSync(`${kb}/sub/a.md`);
      fs.utimesSync(`${kb}/../other`, atime, mtime);
      fs.renameSync(`${kb}/../other`, `${kb}/sub/a.md`);
    },
  ],
  ['a file is added, older than all', (kb) => writeOld(`${kb}/sub/z.md`, '# Gizmo\n')],
  ['a file is added at the top', (kb) => writeOld(`${kb}/z.md`, '# Gizmo\n')],
  ['a file is added in a new directory', (kb) => makeTree(kb, { 'new/deep/z.md': '# Gizmo\n' })],
  ['a file is added to an empty directory', (kb) => writeOld(`${kb}/empty/z.md`, '# Gizmo\n')],
  ['a file is added to a hidden directory', (kb) => writeOld(`${kb}/.hidden/z.md`, '# Gizmo\n')],
  ['a file gets a name that counts', (kb) => fs.renameSync(`${kb}/sub/b.md`, `${kb}/sub/gizmo.md`)],
  ['a text becomes Markdown', (kb) => fs.renameSync(`${kb}/gizmo.txt`, `${kb}/gizmo.md`)],
  [
    'a directory is swapped with another',
    (kb) => {
      makeTree(path.dirname(kb), { 'swap/a.md': '# Gizmo one\n' });
      fs.renameSync(`${kb}/sub`, `${path.dirname(kb)}/was`);
      fs.renameSync(`${path.dirname(kb)}/swap`, `${kb}/sub`);
    },
  ],
];

function writeOld(file: string, content: string): void {
  fs.writeFileSync(file, content);
  fs.utimesSync(file, 1, 1);
}

test.for(CHANGES)('is up to date after %s', async ([, change]) => {
  const { ask, home } = makeHome({
    '.claude/kb/sub/a.md': { content: '# Thing one\n', mtime: new Date(1_700_000_000_000) },
    '.claude/kb/sub/b.md': '# Something\n',
    '.claude/kb/gizmo.txt': '# Something\n',
    '.claude/kb/empty/': '',
    '.claude/kb/.hidden/x.txt': '',
  });
  await wait(SETTLE_MS);
  expect((await ask('gizmo')).results).toEqual([]);
  expect((await ask('gizmo')).index.rebuilt).toBe(false);
  change(`${home}/.claude/kb`);
  expect((await ask('gizmo')).results).toHaveLength(1);
});

test('is up to date after files and directories are deleted', async () => {
  const { ask, home } = makeHome({ '.claude/kb/a.md': '# Gizmo\n', '.claude/kb/d/b.md': '# Gizmo\n' });
  await wait(SETTLE_MS);
  expect((await ask('gizmo')).results).toHaveLength(2);
  fs.rmSync(`${home}/.claude/kb/d`, { recursive: true });
  expect((await ask('gizmo')).files).toEqual(['.claude/kb/a.md']);
  fs.rmSync(`${home}/.claude/kb`, { recursive: true });
  expect((await ask('gizmo')).results).toEqual([]);
});

test('is up to date after changes too fast for the clock of the file system', async () => {
  const { ask, home } = makeHome({ '.claude/kb/a.md': 'word0000\n' });
  for (let i = 1; i <= 30; i++) {
    const word = `word${String(i).padStart(4, '0')}`;
    fs.writeFileSync(`${home}/.claude/kb/a.md`, `${word}\n`);
    expect((await ask(word)).results).toHaveLength(1);
  }
});

test('is up to date after the roots change', async () => {
  const { ask, configure, home } = makeHome({ 'one/a.md': '# Gizmo\n', 'two/b.md': '# Gizmo\n' });
  fs.symlinkSync('one', `${home}/link`);
  configure(['~/link']);
  await wait(SETTLE_MS);
  expect((await ask('gizmo')).files).toEqual(['one/a.md']);
  fs.unlinkSync(`${home}/link`);
  fs.symlinkSync('two', `${home}/link`);
  expect((await ask('gizmo')).files).toEqual(['two/b.md']);
  configure(['~/one', '~/two']);
  expect((await ask('gizmo')).files).toEqual(['one/a.md', 'two/b.md']);
  configure(['~/two']);
  expect((await ask('gizmo')).files).toEqual(['two/b.md']);
  configure(['~/two', '~/one']);
  expect((await ask('gizmo')).files).toEqual(['one/a.md', 'two/b.md']);
});

test.for([
  ['is empty', ''],
  ['is no JSON', '{"version":5,'],
  ['is null', 'null'],
  ['lacks its parts', '{"version":5,"entries":[]}'],
  [
    'has parts of another kind',
    '{"version":5,"entries":5,"seen":{},"warnings":[],"sources":[],"postings":[],"built":""}',
  ],
] as const)('rebuilds a cache that %s', async ([, content]) => {
  const { ask, state } = makeHome(EVERYWHERE);
  await wait(SETTLE_MS);
  await ask('widget');
  makeTree(state, { 'context-index-none.json': content });
  const { files, index } = await ask('widget');
  expect(files).toEqual(['.claude/kb/k.md']);
  expect(index.rebuilt).toBe(true);
  expect((await ask('widget')).index.rebuilt).toBe(false);
});

test('rebuilds a cache of another version', async () => {
  const { ask, state } = makeHome(EVERYWHERE);
  await wait(SETTLE_MS);
  await ask('widget');
  const whole = fs.readFileSync(`${state}/context-index-none.json`, 'utf8');
  expect((await ask('widget')).index.rebuilt).toBe(false);
  fs.writeFileSync(`${state}/context-index-none.json`, whole.replace(/"version":\d+/, '"version":4'));
  expect((await ask('widget')).index.rebuilt).toBe(true);
});

test('rebuilds a cache that is cut anywhere', async () => {
  const { ask, state } = makeHome(EVERYWHERE);
  await wait(SETTLE_MS);
  await ask('widget');
  const whole = fs.readFileSync(`${state}/context-index-none.json`);
  for (let length = 1; length < whole.length; length += 37) {
    fs.writeFileSync(`${state}/context-index-none.json`, whole.subarray(0, length));
    expect(await ask('widget')).toMatchObject({ files: ['.claude/kb/k.md'], index: { rebuilt: true } });
  }
});

test('warns of a cache that cannot be written', async () => {
  const { ask, state } = makeHome(EVERYWHERE);
  makeTree(state, { 'context-index-none.json/': '' });
  const { files, warnings } = await ask('widget');
  expect(files).toEqual(['.claude/kb/k.md']);
  expect(warnings.at(-1)).toMatch(/^the index is not cached: could not write context-index-none\.json/);
  expect(fs.readdirSync(state)).toEqual(
    ['context-index-none.json', 'spill', 'locks'].filter((name) => fs.existsSync(`${state}/${name}`)),
  );
});

test('works without a home', async () => {
  const answer = await call(relatedContext, { query: 'x' });
  expect(JSON.parse(answer.result ?? '')).toMatchObject({ results: [], index: { source_count: 0 } });
});

test('takes support files of a skill for a part of it', async () => {
  const { ask } = makeHome({
    '.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Fill forms\n---\n# PDF\n',
    '.claude/skills/pdf/reference/details.md': '# Watermark stamping\n\n## Rotation\n',
    '.claude/skills/pdf/forms.md': '# Flattening acroforms\n',
    '.claude/skills/loose.md': '# Watermark ideas\n',
  });
  const { results, files } = await ask({ query: 'watermark', client: 'claude' });
  expect(results.map(({ name }) => name)).toEqual(['loose', 'pdf']);
  expect(files[1]).toBe('.claude/skills/pdf/SKILL.md');
  expect((await ask({ query: 'flattening', client: 'claude' })).files).toEqual(['.claude/skills/pdf/SKILL.md']);
});

test('finds words of the text itself, behind those of names and descriptions', async () => {
  const { ask } = makeHome({
    '.claude/kb/a.md': '# Deploying\n\nFirst.\n\nThe canary gets a tenth of the traffic.\n',
    '.claude/kb/b.md': '# Canary releases\n\nSecond.\n',
  });
  expect((await ask('canary')).files).toEqual(['.claude/kb/b.md', '.claude/kb/a.md']);
});

test('says nothing where a long query has only weak words in common', async () => {
  const { ask } = makeHome({
    '.claude/kb/ab-test-analysis.md':
      '# AB test analysis\n\nHow to read the value of a test.\n\nErrors are moved to the end, and the value is borrowed.\n',
    '.claude/kb/ownership.md': '---\ntags: [e0382]\n---\n# Ownership\n\nWhat a move is.\n',
  });
  const query = 'error[E0382]: borrow of moved value: `config`';
  expect((await ask(query)).files).toEqual(['.claude/kb/ownership.md']);
  expect((await ask('why is the value never printed in colour')).files).toEqual([]);
});

const PDF: Files = {
  '.claude/skills/pdf/SKILL.md':
    '---\nname: pdf\ndescription: Work with PDF documents\n---\n# PDF\n\nFill forms.\n\nFor OCR call tesseract and ghostscript.\n',
  '.claude/skills/pdf/references/details.md':
    '# How to stamp watermarks diagonally\n\n## Encryption owner password\n\nText.\n',
  '.claude/skills/theme/SKILL.md':
    '---\nname: theme\ndescription: Colours for slides\n---\n# Theme\n\nPick one.\n\nThemes are made by css_variables, and theming is easy.\n',
  '.claude/skills/landing-pages/SKILL.md':
    '---\nname: landing-pages\ndescription: Run campaigns on pages\n---\n# Landing pages\n',
  '.claude/skills/xlsx/SKILL.md':
    '---\nname: xlsx\ndescription: Work with spreadsheets\n---\n# XLSX\n\nA cell.\n\nThe owner of a sheet can run a macro on it.\n',
};

test.for([
  ['run tesseract ocr on scanned pages', 'pdf'],
  ['stamp watermarks diagonally on pages', 'pdf'],
  ['owner password encryption', 'pdf'],
  ['css_variables theming', 'theme'],
  ['tesserct ghostscrpt somehwere', 'pdf'],
])('finds by the words of a text what %j asks for', async ([query = '', name]) => {
  const { results } = await makeHome(PDF).ask({ query, client: 'claude' });
  expect(results.map((result) => result.name)).toContain(name);
});

test.for([
  'does the owner of a colony get a bonus',
  'make a call for forms, run it, and read the value',
  'ghostscript is not what the printer of the second floor speaks',
])('says nothing of a text that has little of what %j asks for', async (query) => {
  const { '.claude/skills/landing-pages/SKILL.md': _, ...files } = PDF;
  expect((await makeHome(files).ask({ query, client: 'claude' })).results).toEqual([]);
});

test('finds the headings of support files however long the text of the skill is', async () => {
  const words = Array.from({ length: 400 }, (_, i) => `filler${i}`).join(' ');
  const { ask } = makeHome({
    '.claude/skills/pdf/SKILL.md': `---\nname: pdf\ndescription: Fill forms\n---\n# PDF\n\nFirst.\n\n${words}\n`,
    '.claude/skills/pdf/more.md': '# Watermark stamping\n',
  });
  expect((await ask({ query: 'watermark', client: 'claude' })).results).toHaveLength(1);
});

test('finds a word with a typing error, if nothing has the words as they are', async () => {
  const { ask } = makeHome({ '.claude/kb/k8s.md': '# Kubernetes probes\n', '.claude/kb/b.md': '# Caching\n' });
  for (const query of ['kuberntes', 'kuberenetes', 'kubernetse']) {
    expect((await ask(query)).files).toEqual(['.claude/kb/k8s.md']);
  }
  expect((await ask('probse caching')).files).toEqual(['.claude/kb/b.md']);
});

test.for([
  ...['.claude/skills', '.agents/skills', '.codex/skills', '.opencode/skill', '.cursor/skills', '.github/skills'],
  ...['.gemini/skills', '.qwen/skills', '.pi/skills', '.windsurf/skills', '.cline/skills', '.clinerules/skills'],
  ...['.roo/skills', '.goose/skills', '.kiro/skills', '.junie/skills', '.factory/skills', 'skills'],
])('searches %s of the workspace', async (directory) => {
  const root = makeTempDirectory();
  makeTree(root, { [`${directory}/release/SKILL.md`]: '# Tag releases\n', '.roomodes': '', '.cursorrules': '' });
  const home = makeTempDirectory();
  const { result } = await call(relatedContext, { query: 'tag' }, { home, root, state: `${home}/state` });
  const { results, warnings } = JSON.parse(result ?? '');
  expect(results).toMatchObject([{ type: 'skill', name: 'release' }]);
  expect(warnings).toEqual(['no client is named, so only shared context is searched: pass "client"']);
});

test('passes over what only has the name of a directory of an agent, and says why it does not follow a link', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.clinerules': 'Be brief.\n', skills: '', '.cursor': { symlink: makeTempDirectory() } });
  const home = makeTempDirectory();
  const { result } = await call(relatedContext, { query: 'x', client: 'all' }, { home, root, state: `${home}/state` });
  const { warnings } = JSON.parse(result ?? '') as Answer;
  expect(warnings.filter((sentence) => sentence.startsWith('skip'))).toEqual([
    expect.stringMatching(/^skip \.cursor: blocked/),
  ]);
});

test('searches the directories of the workspace, for any client', async () => {
  const home = makeTempDirectory();
  const root = makeTempDirectory();
  makeTree(root, {
    '.claude/skills/release/SKILL.md': '---\nname: release\ndescription: How we tag\n---\n',
    '.agents/skills/lint/SKILL.md': '---\nname: lint\ndescription: Tag rules\n---\n',
    '.opencode/command/ship.md': '# Tag and ship\n',
    '.claude/agents': { symlink: home },
  });
  makeTree(home, { 'secret.md': '# Tag secrets\n' });
  const { result } = await call(relatedContext, { query: 'tag' }, { home, root, state: `${home}/.config/jinn` });
  const { results } = JSON.parse(result ?? '');
  const found = results.map(({ type, name }: Result) => `${type} ${name}`);
  expect(found.toSorted()).toEqual(['command ship', 'skill lint', 'skill release']);
});
