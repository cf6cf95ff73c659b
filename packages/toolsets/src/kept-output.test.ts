import fs from 'node:fs';
import path from 'node:path';
import { applyPatch } from '@jinn/fs-tools/apply-patch';
import { checksumTree } from '@jinn/fs-tools/checksum-tree';
import { editFile } from '@jinn/fs-tools/edit-file';
import { listDir } from '@jinn/fs-tools/list-dir';
import { multiRead } from '@jinn/fs-tools/multi-read';
import { readFile } from '@jinn/fs-tools/read-file';
import { searchReplace } from '@jinn/fs-tools/search-replace';
import { statFile } from '@jinn/fs-tools/stat-file';
import { writeFile } from '@jinn/fs-tools/write-file';
import { findFiles } from '@jinn/search/find-files';
import { searchFiles } from '@jinn/search/search-files';
import { runShell } from '@jinn/shell/run-shell';
import { call, makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const OUTPUT = 'seq 1 5200; echo "needle fails here"; seq 1 5200';

async function scene({ root = makeTempDirectory(), state = makeTempDirectory() } = {}) {
  const at = { root, state };
  const { meta, result } = await call(runShell, { command: OUTPUT }, at);
  const { output_file: file } = meta as { output_file: string };
  return { at, file, result };
}

test('every tool that reads takes the path of a long output', async () => {
  const { at, file } = await scene();
  const found = await call(searchFiles, { path: file, pattern: 'needle', format: 'json' }, at);
  expect(found.result).toContain('needle fails here');
  expect(found.result).toContain(file);
  for (const maxResult of [undefined, 20_000]) {
    const page = { start_line: 5200, end_line: 5201 };
    const read = await call(readFile, { path: file, ...page }, { ...at, maxResult });
    expect(read.result).toContain('5201\tneedle fails here');
    const many = await call(multiRead, { files: [{ path: file, ...page }] }, { ...at, maxResult });
    expect(many.result).toContain('needle fails here');
  }
  expect(JSON.parse((await call(statFile, { path: file }, at)).result ?? '')).toMatchObject({
    path: file,
    type: 'file',
    lines: 10_401,
  });
});

test('every tool that walks takes the directory of long outputs, and no directory beside it', async () => {
  const { at, file } = await scene();
  const directory = path.dirname(file);
  for (const asked of [directory, `${directory}/`]) {
    expect((await call(listDir, { path: asked }, at)).result).toContain(file);
    expect((await call(findFiles, { pattern: '*.log', path: asked }, at)).result).toContain(file);
    expect((await call(searchFiles, { pattern: 'needle', path: asked }, at)).result).toBe(
      `${file}:5201:needle fails here`,
    );
    expect((await call(checksumTree, { path: asked }, at)).result).toContain(file);
    expect((await call(statFile, { path: asked }, at)).result).toContain('"type":"directory"');
  }
  for (const asked of [path.dirname(directory), `${directory}/..`, `${directory}x`]) {
    expect(await call(listDir, { path: asked }, at)).toMatchObject({ error_code: 'path_outside_sandbox' });
  }
  expect(await call(listDir, { path: file }, at)).toMatchObject({ error_code: 'not_a_directory' });
  expect(await call(writeFile, { path: `${directory}/x`, content: '' }, at)).toMatchObject({ ok: false });
  expect(await call(listDir, { path: directory }, { ...at, root: makeTempDirectory() })).toMatchObject({ ok: false });
});

test('a search of a very long output needs no ripgrep', async () => {
  const { at } = await scene();
  const { meta } = await call(runShell, { command: 'seq 1 300000; echo needle' }, at);
  const { output_file: path } = meta as { output_file: string };
  const { result } = await call(searchFiles, { path, pattern: 'needle|^299999$', format: 'text' }, at);
  expect(result).toContain('299999');
  expect(result).toContain('needle');
});

test('no tool changes a long output', async () => {
  const { at, file } = await scene();
  const before = fs.readFileSync(file);
  const patch = `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`;
  const calls = [
    call(writeFile, { path: file, content: 'x' }, at),
    call(editFile, { path: file, old_text: 'needle', new_text: 'x' }, at),
    call(applyPatch, { patch }, at),
    call(searchReplace, { pattern: 'needle', replacement: 'x', files: file }, at),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  }
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

test('the output of another workspace is closed, and so is what lies beside an output', async () => {
  const { at, file } = await scene();
  const other = { ...at, root: makeTempDirectory() };
  const state = `${path.dirname(file)}/plain.txt`;
  fs.writeFileSync(state, 'needle', { mode: 0o600 });
  for (const [asked, where] of [
    [file, other],
    [state, at],
    [path.dirname(file), other],
  ] as const) {
    for (const tool of [readFile, statFile]) {
      expect(await call(tool, { path: asked }, where)).toMatchObject({ error_code: 'path_outside_sandbox' });
    }
    expect(await call(searchFiles, { path: asked, pattern: 'needle' }, where)).toMatchObject({
      error_code: 'path_outside_sandbox',
    });
  }
  const { result } = await call(searchFiles, { path: path.dirname(file), pattern: 'needle', format: 'filenames' }, at);
  expect(result).toBe(`${file}: 1`);
  expect((await call(listDir, { path: path.dirname(file) }, at)).result).not.toContain('plain.txt');
});

test('a command in the sandbox reads the outputs of its workspace and nothing beside them', async ({ skip }) => {
  // The sandbox has a /tmp of its own, and the workspace is writable in it.
  const root = fs.mkdtempSync('/var/tmp/jinn-test-');
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  fs.mkdirSync(`${root}/state`);
  const { at, file } = await scene({ root, state: `${root}/state` });
  const trial = await call(runShell, { command: 'true' }, { ...at, sandbox: { mode: 'auto' } });
  skip((trial.meta as { sandbox: string }).sandbox !== 'bubblewrap');
  const other = await call(runShell, { command: OUTPUT }, { ...at, root: makeTempDirectory() });
  const { output_file: foreign } = other.meta as { output_file: string };
  const sandbox = { mode: 'require', network: true } as const;
  const run = async (command: string) => (await call(runShell, { command }, { ...at, sandbox })).result;
  expect(await run(`grep -c needle ${file}`)).toContain('\n1\n');
  expect(await run(`cat ${foreign}`)).toContain('No such file');
  expect(await run(`echo x >> ${file}`)).toContain('Read-only');
  expect(await run(`touch ${path.dirname(file)}/x; touch ${at.state}/x`)).not.toContain('exit: 0');
  expect(await run(`find ${at.state} -type f`)).toContain(`[exit: 0]\n${file}\n[`);
});
