import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { renderManPage } from './man-page.ts';

const APPS = path.resolve(import.meta.dirname, '../../../../apps');
const PAGES = ['jinn/man/jinn.1', 'mcp-server/man/jinn-mcp.1', 'jinni/man/jinni.1'].map((file) =>
  path.join(APPS, file),
);
/** Programs that find faults in a manual page, and print nothing for a good one. */
const CHECKS = [
  ['groff', '-man', '-ww', '-z', '-Tutf8', '-Kutf8'],
  ['mandoc', '-Tlint', '-Werror'],
  ['man', '--warnings', '--local-file'],
] as const;

const isThere = (program: string) => !spawnSync(program, ['--version']).error;

function faultsOf(page: string, [program, ...flags]: readonly [string, ...string[]]): string {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' };
  const { stdout, stderr } = spawnSync(program, [...flags, page], { encoding: 'utf8', env });
  return program === 'man' ? stderr : stdout + stderr;
}

for (const check of CHECKS) {
  test.skipIf(!isThere(check[0]))(`${check[0]} finds no fault in a manual page`, () => {
    for (const page of PAGES) expect(faultsOf(page, check)).toBe('');
    const bad = `${makeTempDirectory()}/bad.1`;
    fs.writeFileSync(bad, '.TH BAD 1 "" ""\n.SH NAME\n.NOSUCHMACRO\n\\*[nosuchstring]\n');
    if (check[0] !== 'mandoc') expect(faultsOf(bad, check)).not.toBe('');
  });
}

test.skipIf(!isThere('groff'))('a text shows as it is written, whatever stands in it', () => {
  const texts = ["'quoted' first", '.dot first', 'back\\slash', '"double"', '--long -s'];
  const spec = { about: 'odd', usage: '', flags: Object.fromEntries(texts.map((about, i) => [`f${i}`, { about }])) };
  const page = `${makeTempDirectory()}/odd.1`;
  fs.writeFileSync(page, renderManPage('odd', { ...spec, text: texts.join('\n\n') }));
  const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tascii', '-P-cbou', page], { encoding: 'utf8' });
  expect(stderr).toBe('');
  for (const text of texts) expect(stdout.split(text)).toHaveLength(3);
});
