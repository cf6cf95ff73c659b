import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { symbolDiagnostics } from './symbol-diagnostics.ts';

const BROKEN = { 'a.ts': 'function a() {\n  return (1;\n}\nfunction b() {\n  return 2;\n}\nconst = 3;\n' };

test('shows the syntax errors of a file, with the symbols that they are in', async () => {
  const { data } = openProject(BROKEN);
  const { file, diagnostics, total } = await data(symbolDiagnostics, { path: 'a.ts' });
  expect([file, total]).toEqual(['a.ts', 2]);
  expect(diagnostics[0]).toEqual({ line: 2, severity: 'error', source: 'syntax', message: 'missing )', symbol: 'a' });
  expect(diagnostics[1]).toMatchObject({ line: 7, source: 'syntax' });
});

test('shows those of one symbol', async () => {
  const { data } = openProject(BROKEN);
  expect((await data(symbolDiagnostics, { path: 'a.ts', name_path: 'a' })).total).toBe(1);
  expect((await data(symbolDiagnostics, { path: 'a.ts', name_path: 'b' })).total).toBe(0);
});

test('says that there is no language server behind it', async () => {
  const { ask } = openProject(BROKEN);
  expect((await ask(symbolDiagnostics, { path: 'a.ts' })).meta).toMatchObject({
    textual: true,
    complete: false,
    warnings: [
      expect.stringMatching(/^these are only syntax errors, without a language server \(no language server for/),
    ],
  });
});
