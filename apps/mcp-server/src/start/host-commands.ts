import fs from 'node:fs';
import { UsageError } from '@jinn/core/errors';
import { openMachine } from '@jinn/toolsets/machine';
import { describeMode, findIsolation } from '@jinn/toolsets/machine/isolation';
import type { InstallFlags } from '../options.ts';
import { findRoot, findState, TOKEN, warn, write } from './this-program.ts';

/** Registers jinn-mcp with a host, or takes it out of its settings. */
export async function register(what: 'install' | 'uninstall', flags: InstallFlags): Promise<void> {
  const [, program = 'jinn-mcp'] = process.argv;
  write(await changeSettings(what, flags, program));
  if (what === 'install') await warnWithoutSqlite();
}

/** Does the work of `register` for the program of this path. Returns what it has to say. */
export async function changeSettings(
  what: 'install' | 'uninstall',
  { host, mode, root, http: url, more }: InstallFlags,
  program: string,
): Promise<string> {
  const places = hostDirectories(root);
  const hasToken = process.env[TOKEN] !== undefined;
  try {
    const file = fs.realpathSync(program);
    const launch = { command: process.execPath, args: [file] };
    const byName = isOnPath('jinn-mcp', file) && { byName: { command: 'jinn-mcp', args: [] } };
    const { install, uninstall } = await import('../install/install.ts');
    if (what === 'uninstall') return uninstall({ host, mode, places });
    return install({ host, mode, program: launch, ...byName, more, url, hasToken, places });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Prints in which hosts jinn-mcp is registered, and what confines commands if a host passes no flags. */
export async function printStatus(root: string): Promise<void> {
  const { status } = await import('../install/status.ts');
  const machine = openMachine({ ...findState(), root: findRoot(root), environment: process.env, log: warn });
  const mode = describeMode(await findIsolation(machine));
  write(`${await status(hostDirectories(root), process.env)}${'commands'.padEnd(15)} ${mode}\n`);
  await warnWithoutSqlite();
}

async function warnWithoutSqlite(): Promise<void> {
  const { explainNoSqlite } = await import('@jinn/store');
  const missing = await explainNoSqlite();
  if (missing !== undefined) warn(missing);
}

function hostDirectories(root: string) {
  const { HOME: home = process.getBuiltinModule('node:os').homedir(), XDG_CONFIG_HOME } = process.env;
  const config = XDG_CONFIG_HOME || `${home}/.config`;
  const desktop = process.platform === 'darwin' ? `${home}/Library/Application Support` : config;
  return { home, config, desktop, root: findRoot(root) };
}

function isOnPath(name: string, file: string): boolean {
  const found = (process.env['PATH'] ?? '').split(':').find((directory) => fs.existsSync(`${directory}/${name}`));
  return found !== undefined && fs.realpathSync(`${found}/${name}`) === file;
}
