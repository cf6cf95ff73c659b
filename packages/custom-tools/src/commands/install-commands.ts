import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { toVisible } from '@jinn/core/text';
import { findBuiltIn } from '../custom-toolset.ts';
import type { Definition } from '../define/definition.ts';
import { readFolder } from '../discover.ts';
import {
  checksumsOf,
  findToolFolders,
  fingerprintFolder,
  kindOf,
  listFolders,
  makeSideFolder,
  placeFolder,
  readManifest,
  recoverFolders,
  removeFolder,
  removeTree,
  shortFingerprint,
  type ToolManifest,
} from '../folders/index.ts';
import {
  type Command,
  type CommandArgs,
  type CommandHost,
  confirm,
  invalid,
  toolsDirectory,
  toTable,
  wordAt,
} from './command-host.ts';
import { describeTool } from './describe-tool.ts';
import { fetchSource, toSource } from './fetch-source.ts';

export const installCommand: Command = {
  usage: 'install SOURCE [--yes]',
  about: 'install the tools of a folder, an archive, a git repository or an npm package',
  flags: { yes: { about: 'answer yes to what is asked' } },
  maxWords: 1,
  help: `Copies or downloads tools into jinn's configuration directory. SOURCE holds a tool, or a folder for each tool, also below
tools/. What is installed is shown and must be confirmed. Nothing of it is run, no install script either.

  jinn tools install ./my-tool
  jinn tools install my-tool-1.2.0.tgz
  jinn tools install https://github.com/someone/tools.git
  jinn tools install @someone/jinn-tools`,
  run: async (given, host) => {
    const directory = toolsDirectory(host);
    recoverFolders(directory);
    const source = toSource(wordAt(given, 0, 'SOURCE'), host.machine.workspace.root);
    return withSideFolder(directory, async (side) => {
      const found = await readStaged(await fetchSource(source, side, host), source);
      for (const { name } of found) rejectTakenName(name, directory, host);
      show(found, host);
      if (!(await confirm(`Install ${count(found.length)}?`, given, host))) return 1;
      for (const { folder, name, manifest } of found)
        placeFolder(folder, { directory, name, manifest, replaces: false });
      for (const staged of found) host.write(`installed ${staged.name}\n${adviceFor(staged, directory)}`);
      return 0;
    });
  },
};

export const updateCommand: Command = {
  usage: 'update [NAME] [--force] [--yes]',
  about: 'fetch installed tools again from where they came from',
  flags: { force: { about: 'also where it was changed here' }, yes: { about: 'answer yes to what is asked' } },
  maxWords: 1,
  help: `Updates one tool or all that were installed. A folder that a person wrote is never touched, and one that was changed after it
was installed only with --force. A call sees the old tool or the new one.

  jinn tools update
  jinn tools update word-count`,
  run: async (given, host) => {
    const directory = toolsDirectory(host);
    recoverFolders(directory);
    const [asked] = given.words;
    const installed = installedIn(directory).filter(({ name }) => asked === undefined || name === asked);
    if (asked !== undefined && installed.length === 0) throw notInstalled(asked, directory);
    if (installed.length === 0) host.write('no tool was installed\n');
    let status = 0;
    for (const { name, manifest } of installed) {
      const isDone = await update(name, manifest, { directory, given, host });
      if (!isDone) status = 1;
    }
    return status;
  },
};

export const removeCommand: Command = {
  usage: 'remove NAME [--yes]',
  about: 'remove a tool that was installed',
  flags: { yes: { about: 'answer yes to what is asked' } },
  maxWords: 1,
  help: `Removes the folder of a tool that jinn tools install has made. A folder that a person wrote is never touched.

  jinn tools remove word-count`,
  run: async (given, host) => {
    const directory = toolsDirectory(host);
    recoverFolders(directory);
    const name = wordAt(given, 0, 'NAME');
    const installed = installedIn(directory).find((each) => each.name === name);
    if (!installed) throw notInstalled(name, directory);
    const changed = changedFiles(`${directory}/${name}`, installed.manifest);
    const notice = changed.length === 0 ? '' : ` ${count(changed.length, 'file')} changed after it was installed.`;
    if (!(await confirm(`Remove ${name}, from ${installed.manifest.source}?${notice}`, given, host))) return 1;
    removeFolder(directory, name);
    host.write(`removed ${name}\n`);
    return 0;
  },
};

interface StagedTool {
  readonly folder: string;
  readonly name: string;
  readonly definition: Definition;
  readonly manifest: ToolManifest;
}

/** Reads the tools of a source. Throws `invalid_args` if there is none, or one is at fault: then nothing is installed. */
async function readStaged(directory: string, source: string): Promise<StagedTool[]> {
  const folders = findToolFolders(directory);
  if (folders.length === 0) {
    throw invalid(`${source} holds no tool: no tool.md and no tool.json`, 'nothing was installed');
  }
  const staged: StagedTool[] = [];
  for (const below of folders) {
    const folder = below === '' ? directory : `${directory}/${below}`;
    const files = checksumsOf(folder);
    const definition = await readFolder(folder).catch((error: Error) => {
      throw invalid(`${below || path.basename(source)}: ${error.message}`, 'nothing was installed');
    });
    const manifest = { source, below, installed: new Date().toISOString(), files };
    staged.push({ folder, name: definition.name, definition, manifest });
  }
  return staged;
}

function rejectTakenName(name: string, directory: string, { builtIn }: CommandHost): void {
  const toolset = findBuiltIn(name, builtIn);
  if (toolset !== undefined) throw invalid(`${name} is a built-in tool of ${toolset}`, 'nothing was installed');
  if (kindOf(`${directory}/${name}`) === undefined) return;
  const isInstalled = readManifest(`${directory}/${name}`) !== undefined;
  throw new ToolError('conflict', `there is a tool in the folder ${name} already`, {
    suggestion: isInstalled
      ? `jinn tools update ${name}, or jinn tools remove ${name}`
      : 'it was written by a person: move it away',
  });
}

function show(found: readonly StagedTool[], host: CommandHost): void {
  for (const { folder, name, definition } of found) {
    const fingerprint = shortFingerprint(fingerprintFolder(folder) ?? '');
    const { dangerous, runtime } = definition;
    host.write(toTable([[dangerous ? '⚠' : ' ', name, runtime, fingerprint]]) + describeTool(definition, folder));
  }
}

/** Advises what a person may have to do, since jinn runs no install script. */
function adviceFor({ name, manifest, definition }: StagedTool, directory: string): string {
  const needsPackages =
    'package.json' in manifest.files && !Object.keys(manifest.files).some((file) => file.startsWith('node_modules/'));
  const packages = needsPackages
    ? `  if it needs packages:  npm install --ignore-scripts --prefix ${directory}/${name}\n`
    : '';
  return (
    packages + definition.env.map((variable) => `  it can read a variable:  jinn tools env set ${variable}\n`).join('')
  );
}

interface UpdateContext {
  readonly directory: string;
  readonly given: CommandArgs;
  readonly host: CommandHost;
}

async function update(name: string, old: ToolManifest, { directory, given, host }: UpdateContext): Promise<boolean> {
  const changed = changedFiles(`${directory}/${name}`, old);
  if (changed.length > 0 && given.flags['force'] !== true) {
    host.write(
      `${name}: left as it is, since ${toVisible(changed.slice(0, 3).join(', '))} changed after it was installed; --force replaces it\n`,
    );
    return false;
  }
  return withSideFolder(directory, async (side) => {
    const content = await fetchSource(old.source, side, host);
    const found = await readStaged(old.below === '' ? content : `${content}/${old.below}`, old.source);
    const staged = found.find((each) => each.name === name);
    if (!staged) throw invalid(`${old.source} holds no tool ${name} any more`, 'it was left as it is');
    const manifest = { ...staged.manifest, below: old.below };
    if (changed.length === 0 && isSame(manifest.files, old.files)) {
      host.write(`${name}: up to date\n`);
      return true;
    }
    show([staged], host);
    if (!(await confirm(`Update ${name}?`, given, host))) return false;
    placeFolder(staged.folder, { directory, name, manifest, replaces: true });
    host.write(`updated ${name}\n`);
    return true;
  });
}

function installedIn(directory: string): { name: string; manifest: ToolManifest }[] {
  return listFolders(directory, { followsLinks: false }).flatMap(({ name, path: folder }) => {
    const manifest = readManifest(folder);
    return manifest ? [{ name, manifest }] : [];
  });
}

function changedFiles(folder: string, { files }: ToolManifest): string[] {
  const now = checksumsOf(folder);
  return [...new Set([...Object.keys(files), ...Object.keys(now)])].filter((name) => files[name] !== now[name]).sort();
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

async function withSideFolder<T>(directory: string, work: (side: string) => Promise<T>): Promise<T> {
  const side = makeSideFolder(directory);
  try {
    return await work(side);
  } finally {
    removeTree(side);
  }
}

function notInstalled(name: string, directory: string): ToolError {
  if (kindOf(`${directory}/${name}`) === undefined) {
    return new ToolError('not_found', `there is no tool in a folder ${name}`, {
      suggestion: 'jinn tools list shows all',
    });
  }
  return new ToolError('permission_denied', `the folder ${name} was written by a person, so it is left alone`, {
    suggestion: 'remove it by hand',
  });
}

function count(number: number, what = 'tool'): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
