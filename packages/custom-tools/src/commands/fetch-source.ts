import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { findPrograms, runProgram } from '@jinn/process';
import { copyFolder, gunzip, kindOf, makeDirectory, removeTree } from '../folders/index.ts';
import type { CommandHost } from './command-host.ts';

const LIMIT_MS = 120_000;
const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(@[\w.^~<>=*-]+)?$/i;
const REPOSITORY = /^(https|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:|\.git$/;
const ARCHIVE = /\.(tgz|tar\.gz|tar)$/;

type Kind = 'folder' | 'archive' | 'repository' | 'package';

/**
 * Copies or downloads a source into an empty directory, and runs nothing of it. Returns the directory in which its
 * tools are. Throws ToolError.
 */
export async function fetchSource(source: string, to: string, host: CommandHost): Promise<string> {
  switch (kindOfSource(source)) {
    case 'folder':
      copyFolder(source, `${to}/content`);
      return `${to}/content`;
    case 'archive':
      return unpack(source, to, host);
    case 'repository':
      return clone(source, to, host);
    case 'package':
      return download(source, to, host);
  }
}

/** Makes a path absolute, so that an update finds it from elsewhere. */
export function toSource(given: string, cwd: string): string {
  const absolute = path.resolve(cwd, given);
  return kindOf(absolute) === undefined ? given : absolute;
}

function kindOfSource(source: string): Kind {
  const kind = path.isAbsolute(source) ? kindOf(source) : undefined;
  if (kind === 'directory') return source.endsWith('.git') ? 'repository' : 'folder';
  if (kind === 'file' && ARCHIVE.test(source)) return 'archive';
  if (kind === undefined && REPOSITORY.test(source)) return 'repository';
  if (kind === undefined && PACKAGE.test(source)) return 'package';
  throw new ToolError('invalid_args', `${source} is not a folder, archive, git address or npm name`, {
    suggestion: 'give a folder, a .tgz file, https://…git, or the name of a package',
  });
}

async function unpack(archive: string, to: string, host: CommandHost): Promise<string> {
  gunzip(archive, `${to}/archive.tar`);
  makeDirectory(`${to}/content`);
  const args = ['-xf', `${to}/archive.tar`, '-C', `${to}/content`, '--no-same-owner', '--no-same-permissions'];
  await run('tar', args, host);
  removeTree(`${to}/archive.tar`);
  return kindOf(`${to}/content/package`) === 'directory' ? `${to}/content/package` : `${to}/content`;
}

/** Clones a repository. Security: no hooks, no helpers that an address names (`ext::`); links become plain files. */
async function clone(address: string, to: string, host: CommandHost): Promise<string> {
  const allowed = ['https', 'ssh', 'git', 'file'].flatMap((name) => ['-c', `protocol.${name}.allow=always`]);
  const safe = [
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.symlinks=false',
    '-c',
    'protocol.allow=never',
    ...allowed,
  ];
  const options = ['--quiet', '--depth', '1', '--no-tags', '--template=', '--'];
  await run('git', [...safe, 'clone', ...options, address, `${to}/content`], host);
  removeTree(`${to}/content/.git`);
  return `${to}/content`;
}

async function download(name: string, to: string, host: CommandHost): Promise<string> {
  const printed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to, '--', name], host);
  const [packed] = JSON.parse(printed) as { filename: string }[];
  return unpack(`${to}/${path.basename(packed?.filename ?? '')}`, to, host);
}

/** Runs a program of the PATH and returns what it prints. Throws `tool_failed` with its error. */
async function run(program: string, args: readonly string[], { machine }: CommandHost): Promise<string> {
  const { environment } = machine;
  const [command] = findPrograms(program, environment['PATH'] ?? '');
  if (command === undefined) {
    throw new ToolError('not_found', `${program} is not installed`, {
      suggestion: `install ${program}, and try again`,
    });
  }
  let output = '';
  const env = { ...environment, GIT_TERMINAL_PROMPT: '0', npm_config_update_notifier: 'false' };
  const onData = (chunk: Buffer) => {
    output += chunk.toString();
  };
  const { status, stderr } = await runProgram({ command, args, cwd: '/', env, limitMs: LIMIT_MS, onData });
  if (status === 0) return output;
  throw new ToolError('tool_failed', `${program} failed: ${stderr.trim() || `status ${status}`}`, {
    suggestion: 'nothing was installed',
  });
}
