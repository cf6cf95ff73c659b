import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readContext } from '../read-context.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

function repository() {
  const root = makeTempDirectory();
  const commit = (name: string, files: Parameters<typeof makeTree>[1]) => {
    makeTree(root, files);
    for (const args of [
      ['init', '-q'],
      ['add', '-A', '-f'],
      ['commit', '-qm', name],
      ['tag', name],
    ]) {
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
    }
  };
  commit('v1', { 'src/a.py': 'a1\n', 'docs/b.md': 'b1\n' });
  commit('v2', { 'src/a.py': 'a2\n', 'src/c.py': 'c2\n', '.env': 'A=2\n', 'docs/b.md': 'b2\n' });
  fs.rmSync(`${root}/src/c.py`);
  commit('v3', { 'src/a.py': 'a3\n' });
  makeTree(root, { new: 'n\n' });
  return root;
}

const read = async (root: string, args: object) => call(readContext, { changed: 'v1..v2', ...args }, { root });

describe.skipIf(!hasGit)('read_context of a range', () => {
  test('has the files and contents of its second end', async () => {
    const root = repository();
    expect(await read(root, { list_only: true })).toMatchObject({ result: 'docs/b.md\nsrc/a.py\nsrc/c.py' });
    const { result: text } = await read(root, { targets: ['src'] });
    expect(text).toContain('```path=src/a.py\na2\n');
    expect(text).toContain('```path=src/c.py\nc2\n');
    expect(text).not.toMatch(/b2|A=2|new/);
    expect(await read(root, { list_only: true, changed: 'v3^!' })).toMatchObject({ result: 'src/a.py' });
  });

  test('takes targets and projects that are there now or were there', async () => {
    const root = repository();
    const list = async (args: object) => (await read(root, { list_only: true, ...args })).result;
    expect(await list({ project_root: 'src' })).toBe('a.py\nc.py');
    expect(await list({ project_root: 'src', targets: ['c.py'] })).toBe('c.py');
    expect(await list({ targets: [`${root}/src/c.py`, 'docs'] })).toBe('src/c.py\ndocs/b.md');
    expect(await list({ targets: ['src/a.py'], changed: 'v1..v1' })).toBe('');
  });

  test('leaves out what may not be opened now', async () => {
    const root = repository();
    const outside = makeTempDirectory();
    fs.renameSync(`${root}/src`, `${outside}/src`);
    fs.symlinkSync(`${outside}/src`, `${root}/src`);
    expect((await read(root, { list_only: true })).result).toBe('docs/b.md');
  });

  test('leaves nothing behind', async () => {
    const place = makeTempDirectory();
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => void vi.unstubAllEnvs());
    await read(repository(), {});
    expect(fs.readdirSync(place)).toEqual([]);
  });

  test.for([
    [{ changed: 'nope..v2' }, 'not_found', 'no commit is called nope here'],
    [{ changed: 'v1..--output=x' }, 'not_found', 'no commit is called --output=x here'],
    [{ targets: ['never'] }, 'file_not_found', 'never'],
    [{ targets: ['../x'] }, 'path_outside_sandbox', '../x'],
    [{ targets: ['.env'] }, 'path_outside_sandbox', '.env'],
    [{ project_root: 'src', targets: ['../docs'] }, 'path_outside_sandbox', '../docs'],
  ] as const)('refuses %j', async ([args, code, message]) => {
    const { error, error_code } = await read(repository(), args);
    expect([error_code, error]).toEqual([code, expect.stringContaining(message)]);
    expect(error).not.toContain('jinn-range-');
  });
});
