import fs from 'node:fs';
import path from 'node:path';
import type { ToolError } from '@jinn/core/errors';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

function open(files: Record<string, string> = {}, useProc = true) {
  const base = makeTempDirectory();
  const root = path.join(base, 'ws');
  fs.mkdirSync(root);
  makeTree(root, files);
  const workspace = openWorkspace({ root, home: base, useProc });
  onTestFinished(() => workspace.close());
  return { base, root, workspace };
}

function read(workspace: Workspace, asked: string): string {
  return workspace.withFile(asked, (file) => file.slice(0, file.size).toString());
}

/** What `findTarget` says of a path: the path of the place, or the error. */
function place(workspace: Workspace, asked: string): string {
  return answer(() => {
    const found = workspace.findTarget(asked);
    found.inode?.close();
    found.parent.close();
    return found.path;
  });
}

function answer(work: () => string): string {
  try {
    return work();
  } catch (error) {
    const { code, suggestion } = error as ToolError;
    return `${code}: ${suggestion}`;
  }
}

describe.each([true, false])('with descriptors: %s', (useProc) => {
  test('refuses a path that nobody means, and says which one is meant', () => {
    const { base, root, workspace } = open({ 'src/a.ts': 'A' }, useProc);
    const unlikely: readonly (readonly [string, string, string])[] = [
      ['path_outside_sandbox', '$HOME/n.ts', 'n.ts'],
      ['path_outside_sandbox', '$HOME/ws/src/n.ts', 'src/n.ts'],
      ['path_outside_sandbox', `\${HOME}/ws/n.ts`, 'n.ts'],
      ['path_outside_sandbox', `\${workspaceFolder}/src/n.ts`, 'src/n.ts'],
      ['path_outside_sandbox', '$PWD/n.ts', 'n.ts'],
      ['path_outside_sandbox', '$(pwd)/n.ts', 'n.ts'],
      ['path_outside_sandbox', '%USERPROFILE%\\n.ts', 'n.ts'],
      ['path_outside_sandbox', '$env:TEMP\\x\\n.ts', 'x/n.ts'],
      ['path_outside_sandbox', '~root/n.ts', 'n.ts'],
      ['path_outside_sandbox', 'C:\\work\\n.ts', 'work/n.ts'],
      ['path_outside_sandbox', 'c:/work/n.ts', 'work/n.ts'],
      ['path_outside_sandbox', './$HOME/n.ts', 'n.ts'],
      ['path_outside_sandbox', '"$HOME/n.ts"', 'n.ts'],
      ['invalid_args', '"src/n.ts"', 'src/n.ts'],
      ['invalid_args', "'n.ts'", 'n.ts'],
      ['invalid_args', '`n.ts`', 'n.ts'],
      ['invalid_args', 'src/"n.ts"', 'src/n.ts'],
      ['invalid_args', `"${root}/src/n.ts"`, 'src/n.ts'],
      ['invalid_args', 'n.ts\n', 'n.ts'],
      ['invalid_args', ' n.ts', 'n.ts'],
      ['invalid_args', 'src/n.ts ', 'src/n.ts'],
      ['invalid_args', 'new /n.ts', 'new/n.ts'],
      ['invalid_args', './n.ts\r\n', 'n.ts'],
      ['invalid_args', 'file://src/n.ts', 'src/n.ts'],
    ];
    for (const [code, asked, meant] of unlikely) {
      const expected = `${code}: did you mean ${meant}?`;
      expect([asked, place(workspace, asked)]).toEqual([asked, expected]);
      expect([asked, answer(() => read(workspace, asked))]).toEqual([asked, expected]);
    }
    expect(place(workspace, 'src\\n.ts')).toBe('invalid_args: did you mean src/n.ts?');
    expect(place(workspace, '~/n.ts')).toContain('such as n.ts');
    expect(fs.readdirSync(base)).toEqual(['ws']);
  });

  test('takes a name that only looks like one of these', () => {
    const { workspace } = open({ 'app/x': '' }, useProc);
    const names = [
      'app/$id.tsx',
      '$id/x.ts',
      'a b/c d.md',
      "it's.md",
      '$types.d.ts',
      '~$draft.docx',
      '~lock',
      'a:b',
      '50%',
    ];
    for (const asked of [...names, 'unit-a\\x2db.service', 'app/[id]/n.ts'])
      expect(place(workspace, asked)).toBe(asked);
  });

  test('opens an existing file of such a name', () => {
    const names = ['"q".txt', ' a ', 'b\n', '$HOME/x', `\${X}`, '~root/x', 'C:\\x', 'file:/x', 'src\\a.ts'];
    const { workspace } = open(Object.fromEntries(names.map((name) => [name, name])), useProc);
    for (const name of names) {
      expect(read(workspace, name)).toBe(name);
      expect(place(workspace, name)).toBe(name);
    }
    expect(read(workspace, 'file:///x')).toBe('file:/x');
    expect(place(workspace, '$HOME/new')).toBe('$HOME/new');
  });

  test('understands a file URL that leads into the workspace', () => {
    const { base, root, workspace } = open({ 'a b/ü#.ts': 'A' }, useProc);
    const url = `file://${root}/a%20b/%C3%BC%23.ts`;
    expect([read(workspace, url), read(workspace, url.replace('file://', 'FILE://localhost'))]).toEqual(['A', 'A']);
    expect(place(workspace, `file://${root}/new.ts`)).toBe('new.ts');
    expect(place(workspace, `file://${base}/out.ts`)).toMatch('path_outside_sandbox');
    expect(place(workspace, `file://${root}/%2e%2e/out.ts`)).toMatch('path_outside_sandbox');
    expect(place(workspace, `file://${root}/.ssh/%69d_rsa`)).toMatch('secrets are never opened');
    expect(place(workspace, '.git/hooks/x')).toMatch('use git in a command');
    expect(place(workspace, `file://${root}/a%2Fb`)).toMatch('invalid_args');
    expect(place(workspace, `file://${root}/a%00b`)).toMatch('invalid_args');
    expect(fs.readdirSync(root)).toEqual(['a b']);
  });

  test('finds a name in the other normal form, and makes no twin of it', () => {
    const [nfc, nfd] = ['r\u00e9sum\u00e9', 're\u0301sume\u0301'];
    const { workspace } = open({ [`${nfd}/${nfc}.txt`]: 'one', [`${nfc}.md`]: 'two' }, useProc);
    expect(read(workspace, `${nfc}/${nfd}.txt`)).toBe('one');
    expect(place(workspace, `${nfc}/${nfd}.txt`)).toBe(`${nfd}/${nfc}.txt`);
    expect(place(workspace, `${nfd}.md`)).toBe(`${nfc}.md`);
    expect(place(workspace, `${nfc}/new-${nfc}`)).toBe(`${nfd}/new-${nfc}`);
  });

  test('prefers the name as it was sent, and chooses none of several twins', () => {
    const forms = ['\u1ec7', 'e\u0323\u0302', '\u1eb9\u0302'];
    const [nfc = '', nfd = '', mixed = ''] = forms;
    const { workspace } = open({ [nfd]: 'nfd', [mixed]: 'mixed' }, useProc);
    expect([read(workspace, nfd), read(workspace, mixed)]).toEqual(['nfd', 'mixed']);
    expect(place(workspace, nfc)).toBe(nfc);
  });

  test('says of a name that is not UTF-8 how to reach it', () => {
    const { root, workspace } = open({}, useProc);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'x');
    const expected = 'file_not_found: reach it with a command and a wildcard: mv -- caf*.txt NEW_NAME';
    expect(answer(() => read(workspace, 'caf\ufffd.txt'))).toBe(expected);
    expect(place(workspace, 'caf\ufffd.txt')).toBe(expected);
    expect(place(workspace, 'other\ufffd.txt')).toBe('other\ufffd.txt');
  });
});

test('opens every file by its own name, and never creates another one', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', ' ', '"', "'", '$', '~', '\\', ':', '\n', 'é', 'e\u0301', '%', '{', '}'),
  });
  fc.assert(
    fc.property(name, (asked) => {
      const { root, workspace } = open();
      try {
        fs.writeFileSync(path.join(root, asked), 'x');
      } catch {
        return; // No name of a file.
      }
      expect(place(workspace, `./${asked}`)).toBe(asked);
    }),
    { numRuns: 60 },
  );
});
