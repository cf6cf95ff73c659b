import path from 'node:path';
import { type Environment, ToolError } from '@jinn/core';
import type { ServerCommand, ServerProcess } from '@jinn/process';
import type { LanguageClient } from './client.ts';
import { Deadline } from './deadline.ts';
import { Diagnoser } from './diagnostics.ts';
import { Documents } from './documents.ts';
import { type Choice, languageOf } from './find-server.ts';
import { cacheOf, withCache } from './server-cache.ts';
import { serverEnvironment } from './server-environment.ts';
import { ServerDied } from './server-error.ts';
import type { Server } from './server-table.ts';
import type { LspSettings } from './settings.ts';
import type { SourceFiles } from './source-files.ts';

/** How long a server may take to answer the first request. */
const START_MS = 60_000;

export interface LaunchOptions {
  readonly files: SourceFiles;
  readonly settings: LspSettings;
  /** The variables of this process. */
  readonly environment: Environment;
  /** A private directory where servers may keep what they know of the workspace, absolute. */
  readonly cacheDirectory: string;
  /** True if servers do not see our process: they would end if they were told its id. */
  readonly isConfined?: boolean;
  /** Starts a server, in the sandbox where there is one. */
  start(command: ServerCommand): ServerProcess | Promise<ServerProcess>;
  /** Writes a line for the operator. */
  log(line: string): void;
}

/** A server that runs. */
export interface Running {
  readonly server: Server;
  readonly client: LanguageClient;
  readonly documents: Documents;
  readonly diagnoser: Diagnoser;
}

/**
 * Starts a server for a directory, which is relative to the root of the workspace, and waits until it answers. Throws
 * `lsp_unavailable` for one that cannot be started or fails at its start.
 */
export async function launchServer(
  { server, argv, isTrusted }: Choice,
  directory: string,
  options: LaunchOptions,
  signal: AbortSignal,
): Promise<Running> {
  const { files, environment, settings, log } = options;
  const root = path.join(files.root, directory);
  const cache = () => cacheOf(options.cacheDirectory, server.id, root);
  const own = withCache(server.environment ?? {}, cache);
  const process = await spawn(server, options, {
    argv: withCache(argv, cache),
    cwd: root,
    environment: serverEnvironment({ environment, root: files.root, isTrusted, own }),
  });
  const placed = { ...server, initializationOptions: withCache(server.initializationOptions ?? {}, cache) };
  const processId = options.isConfined ? null : globalThis.process.pid;
  const setup = { server: placed, process, root, workspaceRoot: files.root, processId, log };
  const { LanguageClient } = await import('./client.ts'); // It is loaded while the server starts.
  const client = await LanguageClient.start(setup, new Deadline(START_MS, signal)).catch((error) => {
    throw error instanceof ServerDied ? notStarted(error, server) : error;
  });
  const documents = new Documents(client, files, (name) => languageOf(settings.table, name)?.id ?? 'plaintext');
  return { server: placed, client, documents, diagnoser: new Diagnoser(client, documents, files.root) };
}

async function spawn({ id }: Server, { start }: LaunchOptions, command: ServerCommand): Promise<ServerProcess> {
  try {
    return await start(command);
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError('lsp_unavailable', `the language server ${id} could not be started`, {
      suggestion: 'see its command in config.json',
      cause,
    });
  }
}

/** A server that fails at its start would fail again. */
function notStarted({ message }: ServerDied, { install }: Server): ToolError {
  return new ToolError('lsp_unavailable', message, { suggestion: `install with: ${install}` });
}
