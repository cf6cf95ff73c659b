import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { findPrograms, runProgram } from '@jinn/process';
import { findBuiltIn } from '../custom-toolset.ts';
import type { ToolDefinition } from '../define/definition.ts';
import { readFolder } from '../discover.ts';
import {
  checkFolder,
  copyFolder,
  entryKindOf,
  findToolFolders,
  fingerprintFolder,
  makeSideFolder,
  placeFolder,
  readInstallSource,
  recoverFolders,
  removeTree,
  shortFingerprint,
} from '../folders/index.ts';
import {
  type CommandHost,
  confirm,
  invalid,
  requiredWord,
  type TerminalCommand,
  toolsDirectory,
  toTable,
} from './command-host.ts';
import { describeTool } from './trust-command.ts';

const LIMIT_MS = 120_000;
const REPOSITORY = /^(https|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:|\.git$/;

export const installCommand: TerminalCommand = {
  usage: 'install SOURCE [--yes]',
  about: 'Install tools from a folder or a Git repository',
  flags: { yes: { about: 'Do not ask' } },
  maxWords: 1,
  help: `Copies or downloads tools into jinn's configuration directory. SOURCE holds a tool, or a folder for each tool, also below
tools/. What is installed is shown and must be confirmed. Nothing of it is run, no install script either. A tool that was
installed before is replaced, but a folder that you wrote is not. To remove a tool, delete its folder.

  jinn tools install ./my-tool
  jinn tools install https://github.com/someone/tools.git`,
  run: async (given, host) => {
    const directory = toolsDirectory(host);
    recoverFolders(directory);
    const source = toSource(requiredWord(given, 0, 'SOURCE'), host.machine.workspace.root);
    const side = makeSideFolder(directory);
    try {
      await fetchSource(source, `${side}/content`, host);
      const found = await readStaged(`${side}/content`, source);
      const replaced = found.map(({ name }) => name).filter((name) => replaces(name, directory, host));
      show(found, host);
      const notice = replaced.length === 0 ? '' : ` It replaces ${replaced.join(', ')}.`;
      const count = `${found.length} tool${found.length === 1 ? '' : 's'}`;
      if (!(await confirm(`Install ${count}?${notice}`, given, host))) return 1;
      for (const { folder, name } of found) {
        placeFolder(folder, { directory, name, source, replaces: replaced.includes(name) });
      }
      for (const staged of found) host.write(`installed ${staged.name}\n${adviceFor(staged, directory)}`);
      return 0;
    } finally {
      removeTree(side);
    }
  },
};

interface StagedTool {
  readonly folder: string;
  readonly name: string;
  readonly definition: ToolDefinition;
}

function toSource(given: string, cwd: string): string {
  const absolute = path.resolve(cwd, given);
  return entryKindOf(absolute) === undefined ? given : absolute;
}

async function fetchSource(source: string, to: string, host: CommandHost): Promise<void> {
  const isFolder = path.isAbsolute(source) && entryKindOf(source) === 'directory';
  if (isFolder && !source.endsWith('.git')) copyFolder(source, to);
  else if (REPOSITORY.test(source)) await clone(source, to, host);
  else throw invalid(`${source} is not a folder or a git address`, 'give a folder, or https://….git');
}

/** Clones a repository. Security: no hooks, no helpers that an address names (`ext::`). Links become plain files. */
async function clone(address: string, to: string, host: CommandHost): Promise<void> {
  const allowed = ['https', 'ssh', 'git', 'file'].flatMap((name) => ['-c', `protocol.${name}.allow=always`]);
  const settings = ['core.hooksPath=/dev/null', 'core.symlinks=false', 'protocol.allow=never'];
  const safe = [...settings.flatMap((setting) => ['-c', setting]), ...allowed];
  const options = ['--quiet', '--depth', '1', '--no-tags', '--template=', '--'];
  await runGit([...safe, 'clone', ...options, address, `${to}`], host);
  removeTree(`${to}/.git`);
}

async function runGit(args: readonly string[], { machine: { environment } }: CommandHost): Promise<void> {
  const [command] = findPrograms('git', environment['PATH'] ?? '');
  if (command === undefined) throw new ToolError('not_found', 'git is not installed', { suggestion: 'install git' });
  const env = { ...environment, GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr } = await runProgram({ command, args, cwd: '/', env, limitMs: LIMIT_MS, onData: () => {} });
  if (status === 0) return;
  throw new ToolError('tool_failed', `git failed: ${stderr.trim() || `status ${status}`}`, {
    suggestion: 'nothing was installed',
  });
}

async function readStaged(directory: string, source: string): Promise<StagedTool[]> {
  const folders = findToolFolders(directory);
  if (folders.length === 0) {
    throw invalid(`${source} holds no tool: no tool.md and no tool.json`, 'nothing was installed');
  }
  const staged: StagedTool[] = [];
  for (const below of folders) {
    const folder = below === '' ? directory : `${directory}/${below}`;
    checkFolder(folder);
    const definition = await readFolder(folder).catch((error: Error) => {
      throw invalid(`${below || path.basename(source)}: ${error.message}`, 'nothing was installed');
    });
    staged.push({ folder, name: definition.name, definition });
  }
  return staged;
}

function replaces(name: string, directory: string, { builtIn }: CommandHost): boolean {
  const toolset = findBuiltIn(name, builtIn);
  if (toolset !== undefined) throw invalid(`${name} is a built-in tool of ${toolset}`, 'nothing was installed');
  if (entryKindOf(`${directory}/${name}`) === undefined) return false;
  if (readInstallSource(`${directory}/${name}`) !== undefined) return true;
  throw new ToolError('conflict', `there is a tool in the folder ${name} already`, {
    suggestion: 'it was not installed by jinn tools install: move it away',
  });
}

function show(found: readonly StagedTool[], host: CommandHost): void {
  for (const { folder, name, definition } of found) {
    const fingerprint = shortFingerprint(fingerprintFolder(folder) ?? '');
    const { dangerous, runtime } = definition;
    host.write(toTable([[dangerous ? '⚠' : ' ', name, runtime, fingerprint]]) + describeTool(definition, folder));
  }
}

function adviceFor({ name, definition }: StagedTool, directory: string): string {
  const place = `${directory}/${name}`;
  const needsPackages =
    entryKindOf(`${place}/package.json`) === 'file' && entryKindOf(`${place}/node_modules`) === undefined;
  const packages = needsPackages ? `  if it needs packages:  npm install --ignore-scripts --prefix ${place}\n` : '';
  return (
    packages + definition.env.map((variable) => `  it can read a variable:  jinn tools env set ${variable}\n`).join('')
  );
}
