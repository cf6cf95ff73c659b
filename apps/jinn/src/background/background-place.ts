import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Machine } from '@jinn/core';
import { type Config, readConfig } from '@jinn/core/read-config';
import { SERVER_VARIABLES } from '@jinn/lsp/server-variables';
import { MAX_SOCKET_PATH } from '@jinn/workspace';

const TOKEN_BYTES = 32;
/** The variables that the background process gets beside those that servers get. */
const OWN_VARIABLES = /^(JINN_\w+|NODE_COMPILE_CACHE)$/;

export interface PlaceOptions {
  readonly machine: Pick<Machine, 'workspace' | 'user' | 'environment' | 'grants'>;
  /** The cache directory of jinn; undefined if there is none. */
  readonly cache: string | undefined;
  /** The flags of the program. */
  readonly flags: readonly string[];
  readonly version: string;
}

/** The address of the background process of a workspace. */
export interface Place {
  /** The directory of the sockets. */
  readonly directory: string;
  readonly socket: string;
  readonly program: string;
  readonly root: string;
  readonly environment: Record<string, string>;
}

/**
 * Finds the place for a workspace. The place depends on the directory, flags, variables, settings and program, so that
 * no process answers for other settings. Returns undefined if there is no place, or if the settings say that no server
 * is kept.
 */
export function findPlace({ machine, cache, flags, version }: PlaceOptions): Place | undefined {
  const config = settingsOf(machine);
  const [, program] = process.argv;
  if (cache === undefined || program === undefined || !config || isOff(config)) return undefined;
  const { root } = machine.workspace;
  const environment = chooseVariables(machine.environment);
  const parts = [version, identify(program), root, identify(root), flags, environment, config];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const directory = path.join(cache, 'servers');
  const socket = path.join(directory, `${workspaceKey(root)}-${key}.sock`);
  return socket.length > MAX_SOCKET_PATH ? undefined : { directory, socket, program, root, environment };
}

/** Returns what the names of the sockets of a workspace begin with. */
export function workspaceKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 12);
}

/** Returns the secret that callers must know, and makes it if it is missing. Only the user can read it. */
export function readToken(directory: string): string {
  const file = path.join(directory, 'token');
  if (!fs.existsSync(file)) makeToken(file);
  return fs.readFileSync(file, 'latin1');
}

/**
 * Returns what tells a socket from a later one at the same path, while somebody listens there; undefined if nobody
 * does.
 */
export function inodeOf(file: string): bigint | undefined {
  return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Removes a socket, unless another one has taken its path. */
export function removeSocket(file: string, inode: bigint | undefined): void {
  if (inode !== undefined && inodeOf(file) === inode) fs.rmSync(file, { force: true });
}

/** Makes the file whole, or leaves one that another process has made meanwhile. */
function makeToken(file: string): void {
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, randomBytes(TOKEN_BYTES).toString('hex'), { mode: 0o600 });
  try {
    fs.linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temporary);
  }
}

/** Returns the settings; undefined if they are at fault. The call itself reports what is wrong with them. */
function settingsOf({ user }: PlaceOptions['machine']): Config | undefined {
  try {
    return readConfig(user.state);
  } catch {
    return undefined;
  }
}

function isOff({ lsp }: Config): boolean {
  return Object(lsp).background === false;
}

function chooseVariables(environment: Machine['environment']): Record<string, string> {
  const chosen = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (SERVER_VARIABLES.test(name) || OWN_VARIABLES.test(name)) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(chosen.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns what tells a file or directory from another one at the same path, and a file from its earlier content. */
function identify(file: string): string | undefined {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  return [stat.dev, stat.ino, ...(stat.isFile() ? [stat.size, stat.mtimeNs] : [])].join(' ');
}
