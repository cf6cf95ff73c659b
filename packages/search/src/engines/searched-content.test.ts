import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { openWorkspace } from '@jinn/workspace';
import { expect, test } from 'vitest';
import { contentOf } from './searched-content.ts';

const MB = 1024 * 1024;

test.each(['', 'short', '\ufeffmarked'])('asks for no more memory than a small file needs: %j', (text) => {
  const root = makeTempDirectory();
  makeTree(root, { a: text });
  const bytes = openWorkspace({ root }).withFile('a', (file) => contentOf(file).slice(0, MB));
  expect(bytes.toString()).toBe(text.replace('\ufeff', ''));
  expect(bytes.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
});

test.skipIf(!fs.existsSync('/proc/self/status'))('reads a file that has no size', () => {
  const root = '/proc/self';
  const expected = fs.readFileSync(path.join(root, 'cmdline'));
  expect(openWorkspace({ root }).withFile('cmdline', (file) => contentOf(file).slice(0, MB))).toEqual(expected);
});
