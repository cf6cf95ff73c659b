import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { NAMES } from '../../scripts/names.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';
const PACKABLE = Object.keys(NAMES);
/** An action of this repository is a path; another one is named with the commit that it is at. */
const PINNED = /^(?:\.\/|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/;

const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const readJson = (file: string) => JSON.parse(read(file));
const workflows = fs.readdirSync(path.join(ROOT, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`);

test.each(workflows)('%s names actions by their commits, and may only read unless a job says more', (file) => {
  const used = [...read(file).matchAll(/\buses: (.*)$/gm)].map(([, action = '']) => action);
  expect(used.filter((action) => !PINNED.test(action))).toEqual([]);
  expect(parse(read(file)).permissions).toEqual({ contents: 'read' });
});

test('the tests of the README run on each system and each Node that is served', () => {
  const { test: job } = parse(read(`${WORKFLOWS}/test.yml`)).jobs;
  expect(job.strategy.matrix).toEqual({ os: ['ubuntu-latest', 'macos-latest'], node: [20, 22, 24] });
  const commands = job.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual(['npm test']);
  expect(read('README.md')).toContain('\nnpm test ');
});

test('every command of a workflow that npm runs is a script of the project', () => {
  const { scripts } = readJson('package.json');
  const named = workflows.flatMap((file) =>
    [...read(file).matchAll(/\bnpm (?:run )?(test|(?<=run )\w+)/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name = '') => !(name in scripts))).toEqual([]);
});

test('each form of an issue asks for something, under names that differ', () => {
  const forms = fs.readdirSync(path.join(ROOT, FORMS)).filter((name) => name !== 'config.yml');
  expect(forms.length).toBeGreaterThan(0);
  for (const form of forms) {
    const { name, description, body } = parse(read(`${FORMS}/${form}`));
    expect([name, description], form).toEqual([expect.any(String), expect.any(String)]);
    const asked = body.filter(({ type }: { type: string }) => type !== 'markdown');
    const ids = asked.map(({ id }: { id: string }) => id);
    expect([...new Set(ids)], form).toEqual(ids);
    for (const { type, attributes } of asked)
      expect([type, attributes.label], form).toEqual([expect.stringMatching(/^(textarea|input)$/), expect.any(String)]);
  }
});

test('the packages, the plugins and the client have one version, and it begins each list of changes', () => {
  const { version } = readJson('apps/jinn/package.json');
  const files = ['packaging/claude-code/.claude-plugin/plugin.json', 'gemini-extension.json'];
  const manifests = [...PACKABLE.map((folder) => `${folder}/package.json`), ...files];
  expect(manifests.map((file) => readJson(file).version)).toEqual(manifests.map(() => version));
  expect(read('clients/python/METADATA')).toContain(`\nVersion: ${version}\n`);
  for (const folder of PACKABLE) expect(read(`${folder}/CHANGELOG.md`), folder).toMatch(`\n\n## ${version}\n`);
});

test('each package says where it comes from, and only package.json says where that is', () => {
  const { repository, bugs } = readJson('package.json');
  for (const folder of PACKABLE) {
    expect(readJson(`${folder}/package.json`), folder).toMatchObject({
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
      keywords: expect.arrayContaining([expect.any(String)]),
      engines: { node: readJson('package.json').engines.node },
      files: expect.arrayContaining(['dist']),
      publishConfig: { provenance: true },
    });
  }
  expect(read('SECURITY.md')).toContain(`${repository}/security/advisories/new`);
  expect(read('SECURITY.md')).toContain(bugs.email);
});
