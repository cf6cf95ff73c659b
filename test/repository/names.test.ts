import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NAMES } from '../../scripts/names.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
/** Commands that the classifier of risks and the attacks are tried with: nobody is told to run them. */
const NO_ADVICE =
  /^(packages\/shell\/src\/risk\/corpus\/|test\/(attack\/custom-attempts\.mjs|repository\/names\.test\.ts)$)/;
const OWN = '(?:@[\\w-]+/)?(?:jinn|jinni|jinn-mcp|jinn-sdk|jinn-grammars)(?:@[\\w.^~-]+)?(?![\\w@./-])';
const RUNNER =
  '(?:npx|bunx|uvx|pipx run|npm (?:i|add|install|exec)|pnpm (?:i|add|dlx|install)|yarn (?:global )?(?:add|dlx)|bun (?:a|i|x|add|install)|pip3? install)';
/** A command that takes a package of ours from a registry, and the same as the arguments of a host's entry. */
const FETCHES = [
  new RegExp(String.raw`\b${RUNNER}(?: +-[\w=-]+| +--)* +["'\x60]?${OWN}`),
  new RegExp(String.raw`["'](?:npx|bunx|pnpm|uvx)["'](?:[\s,[\]:]|"args"|["'](?:-[\w-]*|dlx)["'])*["']${OWN}["']`),
];
const fetches = (text: string) => FETCHES.map((pattern) => pattern.exec(text)?.[0]).find(Boolean);

const isPublished = Object.keys(NAMES).some((folder) => readManifest(folder).private !== true);

function readManifest(folder: string): { name: string; private?: boolean } {
  return JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
}

test.each([
  'npx -y jinn-mcp',
  'npx jinn',
  'run `npm i -g jinn`',
  'npm install -g @scope/jinn-mcp@1.2.0 now',
  'npm install --save-exact jinn-sdk',
  'pnpm dlx jinni',
  'pip install jinn',
  '{ "command": "npx", "args": ["-y", "jinn-mcp"] }',
  `"command": 'npx', "args": ['--yes', 'jinn']`,
])('%s takes a package from a registry', (text) => {
  expect(fetches(text)).toBeDefined();
});

test.each([
  'npm install -g "$(npm pack --silent ./apps/jinn)"',
  'npm install -g jinn-0.1.0.tgz',
  'npm install -g typescript@7',
  'npx changeset',
  'npx vitest run packages/jinn',
])('%s does not', (text) => {
  expect(fetches(text)).toBeUndefined();
});

test.skipIf(isPublished)('nothing tells anybody to install a package by a name that is not published', () => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const faults = files
    .toString()
    .split('\0')
    .filter((file) => file !== '' && !NO_ADVICE.test(file) && fs.existsSync(path.join(ROOT, file)))
    .flatMap((file) => {
      const found = fetches(fs.readFileSync(path.join(ROOT, file), 'utf8'));
      return found === undefined ? [] : [`${file}: ${found}`];
    });
  expect(faults).toEqual([]);
});

test('the manifests have the names of scripts/names.mjs', () => {
  const found = Object.keys(NAMES).map((folder) => [folder, readManifest(folder).name]);
  expect(Object.fromEntries(found)).toEqual(NAMES);
});
