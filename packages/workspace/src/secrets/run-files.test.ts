import { expect, test } from 'vitest';
import { pathsOf } from './fixture/paths-of.ts';
import { runFiles } from './run-files.ts';

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
  ['mise.local.toml', 'mise'],
  ['.config/mise/config.toml', 'mise'],
  ['.hg/hgrc', 'Mercurial'],
  ['.clinerules/hooks/PreToolUse', 'Cline'],
  ['.github/hooks/a.json', 'GitHub Copilot'],
  ['.windsurf/hooks.json', 'Windsurf'],
  ['.aider.conf.yml', 'Aider'],
  ['.kiro/agents/a.json', 'Kiro'],
  ['.gemini/extensions/a/gemini-extension.json', 'Gemini CLI'],
  ['.cursor/worktrees.json', 'Cursor'],
  ['.cursor/cli.json', 'Cursor'],
  ['.codex/config.toml', 'Codex'],
  ['.agents/skills/a/run.sh', 'Codex'],
  ['.gemini/policies/a.toml', 'Gemini CLI'],
  ['.vscode/c_cpp_properties.json', 'VS Code'],
  ['.vscode/extensions/a/main.js', 'VS Code'],
  ['.factory/hooks/a', 'Factory'],
  ['.amp/settings.json', 'Amp'],
  ['.continuerc.json', 'Continue'],
  ['.jj/repo/config.toml', 'Jujutsu'],
  ['_darcs/prefs/defaults', 'Darcs'],
  ['sub/.Rprofile', 'a console of its language'],
])('%s is run by %s', (path, runner) => {
  expect(runFiles('projects').runnerOf(path)).toBe(runner);
});

test.each([
  '.vscode',
  '.vscode/notes.md',
  '.claude/notes.md',
  'tasks.json',
  'src/mise/main.ts',
  'package.json',
  'x.mcp.json',
  '',
])('nothing runs %j', (path) => {
  expect(runFiles('projects').runnerOf(path)).toBeUndefined();
});

test('settings may name a file of the list, and a directory above it', () => {
  for (const name of ['.vscode', '.vscode/tasks.json', '.devcontainer/x'])
    expect(runFiles('projects').holds(name)).toBe(true);
  for (const name of ['.vscode/x', 'src', '/etc', '~/x', '']) expect(runFiles('projects').holds(name)).toBe(false);
  expect([runFiles('home').holds('.bashrc'), runFiles('home').runnerOf('.config/fish/config.fish')]).toEqual([
    true,
    'the shell',
  ]);
});

test('names that mean something else in a project count only right below the home', () => {
  expect(['bin/x', '.claude/a', 'work/bin/x'].map((path) => runFiles('home').runnerAt(path))).toEqual([
    'the shell',
    'an everyday program',
    undefined,
  ]);
  expect(['work/.bashrc', 'bin/x', '.claude/a'].map((path) => runFiles('starts').runnerOf(path))).toEqual([
    'the shell',
    undefined,
    undefined,
  ]);
});

test('each file of the home has a program that runs it', () => {
  const all = pathsOf(runFiles('home').tree);
  expect(all.length).toBeGreaterThan(95);
  for (const path of all) expect(runFiles('home').runnerAt(path)).toBeDefined();
});
