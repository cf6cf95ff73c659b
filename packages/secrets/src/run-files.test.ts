import { expect, test } from 'vitest';
import type { PlaceTree } from './place-tree.ts';
import { HOME_RUN_FILES, PROJECT_RUN_FILES } from './run-files.ts';
import { MAY_BE_RUN } from './secret-names.ts';

test.each([
  ['.vscode/tasks.json', 'VS Code'],
  ['deep/er/.vscode/tasks.json', 'VS Code'],
  ['.VSCODE/Tasks.json', 'VS Code'],
  ['my.code-workspace', 'VS Code'],
  ['.envrc', 'direnv'],
  ['.mcp.json', 'an agent by MCP'],
  ['.claude/hooks/a/b.sh', 'Claude Code'],
  ['.devcontainer/devcontainer.json', 'a tool for dev containers'],
  ['mise.toml', 'mise'],
])('%s is run by %s', (path, runner) => {
  expect(PROJECT_RUN_FILES.runnerOf(path)).toBe(runner);
});

test.each(['.vscode', '.vscode/notes.md', '.claude/notes.md', 'tasks.json', 'package.json', 'x.mcp.json', ''])(
  'nothing runs %j',
  (path) => {
    expect(PROJECT_RUN_FILES.runnerOf(path)).toBeUndefined();
  },
);

test('settings may name a file of the list, and a directory above it', () => {
  for (const name of ['.vscode', '.vscode/tasks.json', '.devcontainer/x'])
    expect(PROJECT_RUN_FILES.holds(name)).toBe(true);
  for (const name of ['.vscode/x', 'src', '/etc', '~/x', '']) expect(PROJECT_RUN_FILES.holds(name)).toBe(false);
  expect([HOME_RUN_FILES.holds('.bashrc'), HOME_RUN_FILES.runnerOf('.config/fish/config.fish')]).toEqual([
    true,
    'the shell',
  ]);
});

test('all of the list may be run by the look of its name', () => {
  const paths = (tree: PlaceTree, above: string): string[] => {
    const below = [...tree.named.values(), tree.patterns].flatMap((names) => [...names]);
    return below.flatMap(([name, one]) => (one.isPlace ? [above + name] : paths(one, `${above}${name}/`)));
  };
  const all = paths(PROJECT_RUN_FILES.tree(), '');
  expect(all.length).toBeGreaterThan(50);
  for (const path of all) expect(path).toMatch(MAY_BE_RUN);
});
