import fs from 'node:fs';
import { type Answer, createSession, type Question } from '@jinn/core';
import { type FileTree, makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type LanguageSessionOptions, openLanguageSession, SYMBOL_SERVER } from './fixture/language-session.ts';

const QUERY = { action: 'symbols', path: 'src/a.ml' };
const PROJECT = { 'dune-project': '(lang dune 3.0)\n', 'src/dune': '(library)\n', 'src/a.ml': 'let one = 1\n' };

/** A project whose only server runs its code, and a person who gives these answers to questions, one after the other. */
function scene(files: FileTree = PROJECT, options: LanguageSessionOptions = { programs: { ocamllsp: SYMBOL_SERVER } }) {
  const opened = openLanguageSession(files, options);
  const asked: Question[] = [];
  const answering = (answers: readonly (Answer | undefined)[], more: object = {}) => {
    let next = 0;
    const ask = async (question: Question) => {
      asked.push(question);
      return answers[next++];
    };
    return opened.ask(QUERY, { ask, ...more });
  };
  const machine = openTestMachine(opened.options);
  return {
    ...opened,
    asked,
    grants: () => machine.grants(),
    /** Calls in the session of the scene, with a person. */
    answering,
    /** Calls in a session of its own, with a person. */
    anew: async (...answers: readonly (Answer | undefined)[]) => {
      const session = createSession();
      const answer = await answering(answers, { session });
      await session.close();
      return answer;
    },
    starts: () => linesOf(`${opened.options.home}/started`).length,
    variables: () => linesOf(`${opened.options.home}/variables`),
  };
}

function linesOf(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** The answer to `symbols` without the server, which says why it does not run and what a person can do. */
const UNTRUSTED = {
  ok: true,
  result: expect.stringMatching(
    /ocamllsp needs trust, since it runs code of the workspace: dune rules and preprocessors;.*jinn lsp trust ocamllsp/,
  ),
};

test('a server that runs project code does not start if no user can be asked', async () => {
  const { ask, starts } = scene();
  expect(await ask(QUERY)).toMatchObject(UNTRUSTED);
  expect(starts()).toBe(0);
});

test.for([
  ['deny', 'the user denied this call'],
  [undefined, 'the user did not answer'],
] as const)('the answer %s refuses, and nothing starts', async ([answer, why]) => {
  const { anew, asked, starts } = scene();
  expect(await anew(answer)).toMatchObject({
    ok: false,
    error_code: 'approval_required',
    error: expect.stringContaining(why),
  });
  expect(asked[0]).toMatchObject({
    message: expect.stringMatching(/^Start the language server ocamllsp .*dune rules and preprocessors/),
    permission: { type: 'language_server', key: 'ocamllsp' },
  });
  expect(starts()).toBe(0);
});

test('the answer once lets a server start once, and nobody is asked while it runs', async () => {
  const { answering, anew, asked, ask, starts } = scene();
  expect(await answering(['once'])).toMatchObject({ ok: true });
  expect(await answering([])).toMatchObject({ ok: true });
  expect(await ask(QUERY)).toMatchObject({ ok: true });
  expect([asked.length, starts()]).toEqual([1, 1]);
  expect(await anew('deny')).toMatchObject({ ok: false });
  expect(asked).toHaveLength(2);
});

test('the answer always holds in other sessions', async () => {
  const { anew, asked, starts } = scene();
  expect(await anew('always')).toMatchObject({ ok: true });
  expect(await anew()).toMatchObject({ ok: true });
  expect([asked.length, starts()]).toEqual([1, 2]);
});

const OTHERS = { 'other/dune': '(library)\n', 'other/.env.d/dune': '(rule)\n' } as const;

/** Changes after which a person is asked again. */
const CHANGES: readonly [string, (root: string) => void][] = [
  ['a file is changed', (root) => fs.writeFileSync(`${root}/src/dune`, '(rule (action (system "evil")))\n')],
  ['a file is added', (root) => makeTree(root, { 'deep/er/dune': '(rule)\n' })],
  ['a file is added where git looks at nothing', (root) => makeTree(root, { 'node_modules/x/dune': '(rule)\n' })],
  ['a file is added where tools may not read', (root) => makeTree(root, { 'other/.env.d/sub/dune': '(rule)\n' })],
  ['a file is removed', (root) => fs.rmSync(`${root}/other/dune`)],
  ['a file is moved', (root) => fs.renameSync(`${root}/other`, `${root}/another`)],
  ['a link leads elsewhere', (root) => relink(root, 'linked/dune', '../other/.env.d/dune')],
  ['the target of a link is changed', (root) => fs.writeFileSync(`${root}/linked/target`, '(rule)\n')],
];

function relink(root: string, name: string, symlink: string): void {
  fs.rmSync(`${root}/${name}`);
  fs.symlinkSync(symlink, `${root}/${name}`);
}

test.for(CHANGES)('the person is asked again if %s', async ([, change]) => {
  const links = { 'linked/target': '(library)\n', 'linked/dune': { symlink: 'target' } };
  const { anew, asked, root, starts } = scene({ ...PROJECT, ...OTHERS, ...links });
  expect(await anew('always')).toMatchObject({ ok: true });
  change(root);
  expect(await anew('deny')).toMatchObject({ ok: false });
  expect([asked.length, starts()]).toEqual([2, 1]);
  expect(asked[1]?.fingerprint).not.toBe(asked[0]?.fingerprint);
});

test('the person is not asked again if source files or times change', async () => {
  const { anew, asked, root } = scene();
  await anew('always');
  makeTree(root, { 'src/a.ml': 'let two = 2\n', 'src/b.ml': '', 'README.md': '' });
  fs.utimesSync(`${root}/src/dune`, new Date(0), new Date(0));
  expect(await anew()).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

test('what changes while the person thinks does not run', async () => {
  const { ask, root, starts } = scene();
  const answer = async (): Promise<Answer> => {
    makeTree(root, { 'src/dune': '(rule)\n' });
    return 'always';
  };
  expect(await ask(QUERY, { ask: answer })).toMatchObject(UNTRUSTED);
  expect(starts()).toBe(0);
});

test('a server that runs ends when the code changes that it runs, and the person is asked again', async () => {
  const { answering, asked, root, options, starts } = scene();
  expect(await answering(['always'])).toMatchObject({ ok: true });
  makeTree(root, { 'src/dune': '(rule)\n' });
  expect(await answering(['deny'])).toMatchObject({ ok: false, error_code: 'approval_required' });
  const received = () => fs.readFileSync(`${options.home}/received`, 'utf8');
  await expect.poll(received).toContain('"method":"exit"');
  expect(received()).not.toContain('src/dune');
  expect([asked.length, starts()]).toEqual([2, 1]);
  expect(await answering(['once'])).toMatchObject({ ok: true });
  expect(starts()).toBe(2);
});

test('a server that runs ends before it hears that its code was changed, also if no user can be asked', async () => {
  const { ask, answering, root, starts } = scene();
  expect(await answering(['once'])).toMatchObject({ ok: true });
  makeTree(root, { 'src/dune': '(rule)\n' });
  expect(await ask(QUERY)).toMatchObject(UNTRUSTED);
  expect(starts()).toBe(1);
});

test('what was approved once is used up by one start, even if all is as it was then', async () => {
  const { answering, asked, ask, root, starts } = scene();
  expect(await answering(['once'])).toMatchObject({ ok: true });
  makeTree(root, { 'src/dune': '(rule)\n' });
  expect(await ask(QUERY)).toMatchObject(UNTRUSTED);
  makeTree(root, { 'src/dune': PROJECT['src/dune'] });
  expect(await ask(QUERY)).toMatchObject(UNTRUSTED);
  expect(await answering(['deny'])).toMatchObject({ ok: false });
  expect([asked.length, starts()]).toEqual([2, 1]);
});

test('a person with a name is told that their host can ask, and of no command', async () => {
  const { ask } = scene();
  const answer = JSON.stringify(await ask(QUERY, { person: 'ann' }));
  expect(answer).toContain('they can allow it where their host can ask them, with the scope jinn:execute');
  expect(answer).not.toContain('jinn lsp trust');
});

test('what a person allows counts beside what was allowed to everybody before a change', async () => {
  const { anew, asked, grants } = scene();
  await anew('always');
  const [grant] = await (await grants()).list();
  if (!grant) throw new Error('there is a grant');
  await (await grants()).add({ ...grant, fingerprint: 'of other code' }, { forAll: true });
  expect(await anew()).toMatchObject({ ok: true, meta: { server: 'ocamllsp' } });
  expect(asked).toHaveLength(1);
});

test('a grant that was taken back does not count, nor one for another server, tool or workspace', async () => {
  const { anew, asked, grants, options } = scene();
  await anew('always');
  const [grant] = await (await grants()).list();
  expect(grant).toMatchObject({ tool: 'lsp_query', type: 'language_server', key: 'ocamllsp' });
  await (await grants()).revoke({ tool: 'lsp_query', type: 'language_server', key: 'ocamllsp' });
  await anew('deny');
  expect(asked).toHaveLength(2);
  if (!grant) return;
  await (await grants()).add({ ...grant, key: 'rust-analyzer' });
  await (await grants()).add({ ...grant, tool: 'run_shell' });
  await (await grants()).add({ ...grant, type: 'command' });
  await (await openTestMachine({ ...options, root: makeTempDirectory() }).grants()).add(grant);
  await anew('deny');
  expect(asked).toHaveLength(3);
  await (await grants()).add(grant);
  expect(await anew()).toMatchObject({ ok: true });
  expect(asked).toHaveLength(3);
});

test('a server that needs no trust is used unasked, beside a better one that needs it', async () => {
  const programs = { 'basedpyright-langserver': SYMBOL_SERVER, ty: SYMBOL_SERVER };
  const { ask, asked, options } = scene({ 'a.py': 'one = 1\n' }, { programs });
  const answer = await ask({ action: 'symbols', path: 'a.py' }, { ask: async () => 'always' });
  expect(answer).toMatchObject({ ok: true, meta: { server: 'ty' } });
  expect(asked).toEqual([]);
  expect(fs.existsSync(`${options.state}/state.db`)).toBe(false);
});

test('a server that runs code only where there is some needs trust from then on', async () => {
  const { ask, root, options } = scene({ 'a.zig': 'x\n' }, { programs: { zls: SYMBOL_SERVER } });
  const query = { action: 'symbols', path: 'a.zig' };
  expect(await ask(query)).toMatchObject({ ok: true });
  makeTree(root, { 'build.zig': 'x\n' });
  expect(await ask(query)).toMatchObject({ ok: false, error: expect.stringContaining('zls needs trust') });
  const received = () => fs.readFileSync(`${options.home}/received`, 'utf8');
  await expect.poll(received).toContain('"method":"exit"');
  expect(received()).not.toContain('build.zig');
  fs.rmSync(`${root}/build.zig`);
  expect(await ask(query)).toMatchObject({ ok: true });
  makeTree(root, { 'node_modules/deep/build.zig': 'x\n' });
  expect(await ask(query)).toMatchObject({ ok: false, error: expect.stringContaining('zls needs trust') });
});

test('typescript-language-server that was given no TypeScript ends when the workspace gets one', async () => {
  const { ask, root } = scene(
    { 'a.ts': 'x\n' },
    {
      config: { lsp: { languages: { TypeScript: ['typescript-language-server'] } } },
      programs: { 'typescript-language-server': SYMBOL_SERVER },
    },
  );
  const query = { action: 'symbols', path: 'a.ts' };
  expect(await ask(query)).toMatchObject({ ok: true, meta: { server: 'typescript-language-server' } });
  makeTree(root, { 'packages/b/node_modules/typescript/lib/tsserver.js': '' });
  const refused = { ok: false, error: expect.stringContaining('found no TypeScript 5 next to it') };
  expect(await ask(query)).toMatchObject(refused);
});

const PACKAGE = {
  'a.md': '# a\n',
  'node_modules/.bin/marksman': { symlink: '../marksman/bin/marksman.sh' },
  'node_modules/marksman/bin/marksman.sh': SYMBOL_SERVER,
  'node_modules/marksman/package.json': '{"name":"marksman","dependencies":{"dep":"*"}}',
  'node_modules/dep/package.json': '{"name":"dep"}',
  'node_modules/dep/index.js': '',
  'node_modules/other/index.js': '',
} as const;

const ofPackage: readonly [string, (root: string) => void][] = [
  ['its program', (root) => fs.appendFileSync(`${root}/node_modules/marksman/bin/marksman.sh`, '\n')],
  ['another file of its package', (root) => makeTree(root, { 'node_modules/marksman/lib.js': '' })],
  ['a package that it needs', (root) => makeTree(root, { 'node_modules/dep/index.js': 'evil()' })],
  ['its link', (root) => relink(root, 'node_modules/.bin/marksman', '../other/marksman')],
];

test.for(ofPackage)('a program of the workspace needs trust, and again after a change of %s', async ([, change]) => {
  const { ask, asked, root, starts } = scene(PACKAGE, {});
  makeTree(root, { 'node_modules/other/marksman': SYMBOL_SERVER });
  const query = { action: 'symbols', path: 'a.md' };
  const person = (answer: Answer) => async (question: Question) => {
    asked.push(question);
    return answer;
  };
  const anew = async (answer: Answer) => {
    const session = createSession();
    onTestFinished(() => session.close());
    const given = await ask(query, { session, ask: person(answer) });
    await session.close();
    return given;
  };
  expect(await anew('deny')).toMatchObject({ ok: false });
  expect(asked[0]?.message).toContain('it is a program of the workspace');
  expect(starts()).toBe(0);
  expect(await anew('always')).toMatchObject({ ok: true });
  makeTree(root, { 'node_modules/other/index.js': 'changed' });
  expect(await anew('deny')).toMatchObject({ ok: true });
  change(root);
  expect(await anew('deny')).toMatchObject({ ok: false, error_code: 'approval_required' });
  expect([asked.length, starts()]).toEqual([3, 2]);
});

test('a server gets variables that lead into the workspace only if it is trusted', async () => {
  const programs = { ocamllsp: SYMBOL_SERVER, gopls: SYMBOL_SERVER };
  const trusted = scene({ ...PROJECT, 'a.go': 'package a\n' }, { programs, searched: ['bin'] });
  expect(await trusted.ask({ action: 'symbols', path: 'a.go' })).toMatchObject({ ok: true });
  const pathOf = () => trusted.variables().find((line) => line.startsWith('PATH='));
  expect(pathOf()).not.toContain(trusted.root);
  expect(await trusted.answering(['once'])).toMatchObject({ ok: true });
  expect(pathOf()).toContain(`${trusted.root}/bin`);
});

test('a project with too many files that decide on what runs cannot be trusted', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`d/${i}.opam`, '']));
  const { anew, asked } = scene({ ...PROJECT, ...many });
  expect(await anew('always')).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining('ocamllsp cannot be trusted here'),
  });
  expect(asked).toEqual([]);
});

test('a query without a path is asked about for the main file', async () => {
  const { ask, asked, starts } = scene();
  const person = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return 'once';
  };
  const query = { action: 'workspace_symbols', query: 'one' };
  expect(await ask(query)).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    suggestion: expect.stringContaining('jinn lsp trust ocamllsp'),
  });
  expect(await ask(query, { ask: person })).toMatchObject({
    ok: false,
    error: 'ocamllsp does not support workspace/symbol',
  });
  expect([asked.length, starts()]).toEqual([1, 1]);
});

test('a question that will be refused is not put, and one of several files is enough', async () => {
  const { ask, asked } = scene();
  const person = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return 'once';
  };
  for (const query of [{ ...QUERY, apply: true }, { ...QUERY, path: 'missing.ml' }, { path: 'src/a.ml' }]) {
    expect(await ask(query, { ask: person })).toMatchObject({ ok: false });
  }
  expect(asked).toEqual([]);
  const answer = await ask({ queries: [{ action: 'hover', path: 'a.unknown' }, QUERY] }, { ask: person });
  expect(answer).toMatchObject({ ok: true, result: expect.stringContaining('no symbols found') });
  expect(asked).toHaveLength(1);
});
