import path from 'node:path';
import { isObject } from '@jinn/core/text/is-object';
import { realPath } from '@jinn/process';
import { isInWorkspace, runsProjectCode } from './own-code.ts';
import type { Server } from './server-table.ts';

const TSSERVER = 'typescript/lib/tsserver.js';
/**
 * The place where typescript-language-server looks for the TypeScript of a project, in its root and in the directories
 * above.
 */
const OWN_TYPESCRIPT = ['node_modules/typescript/', '.yarn/sdks/typescript/', '.vscode/pnpify/typescript/'];

/** A file, and whether it lies in the workspace. */
export interface FoundFile {
  readonly file: string;
  readonly isOwn: boolean;
}

export interface PinnedServer {
  readonly server: Server;
  /** The tsserver.js that it loads, if that lies in the workspace. */
  readonly typescript?: string | undefined;
}

/**
 * Keeps a server from loading a TypeScript of the workspace that nobody trusts. It gets the path of the one to load:
 * one beside its program or, if there is none, that of the workspace. If there is neither, it starts without a path,
 * until the workspace has one. Returns undefined for a server that must not start, since it could load another
 * TypeScript from the workspace.
 */
export async function pinTypeScript(
  server: Server,
  program: FoundFile,
  root: string,
): Promise<PinnedServer | undefined> {
  if (!server.pinsTypeScript || typeof tsserverOf(server)['path'] === 'string') return { server };
  const found = findTypeScript(program, root);
  if (found) return { server: withTypeScript(server, found.file), typescript: found.isOwn ? found.file : undefined };
  const unpinned: Server = {
    ...server,
    runsProjectCode: 'the TypeScript in its node_modules',
    runsCodeOf: OWN_TYPESCRIPT,
  };
  return (await runsProjectCode(unpinned, root)) ? undefined : { server: unpinned };
}

/** Finds the TypeScript that a server must load. One outside of the workspace is preferred. */
function findTypeScript(program: FoundFile, root: string): FoundFile | undefined {
  const beside = upward(realPath(program.file) ?? program.file);
  const found = [...beside, root]
    .map((directory) => path.join(directory, 'node_modules', TSSERVER))
    .filter((file) => realPath(file) !== undefined)
    .map((file) => ({ file, isOwn: isInWorkspace(root, file) }));
  const outside = program.isOwn ? undefined : found.find(({ isOwn }) => !isOwn);
  return outside ?? found[0];
}

function tsserverOf({ initializationOptions = {} }: Server): Readonly<Record<string, unknown>> {
  const { tsserver } = initializationOptions;
  return isObject(tsserver) ? tsserver : {};
}

function withTypeScript(server: Server, file: string): Server {
  const tsserver = { ...tsserverOf(server), path: file };
  return { ...server, initializationOptions: { ...server.initializationOptions, tsserver } };
}

function upward(file: string): string[] {
  const directories: string[] = [];
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) directories.push(at);
  return directories;
}
