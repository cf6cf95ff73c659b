import path from 'node:path';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findPrograms, interpreterOf, type ServerCommand, type ServerProcess } from '@jinn/process';
import { Diagnoser } from '../answers/diagnostics.ts';
import { LateFindings } from '../answers/findings.ts';
import type { LanguageClient } from '../client/client.ts';
import { Deadline } from '../client/deadline.ts';
import {
  AnsweredError,
  explainHidden,
  type HiddenReason,
  type HiddenSearch,
  ServerDied,
} from '../client/server-error.ts';
import { Documents } from '../documents/documents.ts';
import type { SourceFiles } from '../documents/source-files.ts';
import { type Choice, servedLanguageOf, serverEnvironment } from './find-server.ts';
import type { LspSettings } from './lsp-settings.ts';
import type { Server } from './server-table.ts';

/** How long a server may take to answer the first request. */
const START_MS = 60_000;
/** python3.6 to python3.29, since `SourceFiles` cannot list a directory. */
const VERSIONS_OF_PYTHON = Array.from({ length: 24 }, (_, at) => `python3.${at + 6}`);

export interface LaunchOptions {
  readonly files: SourceFiles;
  readonly settings: LspSettings;
  readonly environment: Environment;
  /** The `PATH` of trusted servers, which may have directories of the workspace. */
  readonly commandPath?: string | undefined;
  readonly cacheDirectory: string;
  /** True if servers do not see our process: they would end if they got its id. */
  readonly isConfined?: boolean;
  readonly hidden?: HiddenSearch['find'];
  start(command: ServerCommand): ServerProcess | Promise<ServerProcess>;
  log(line: string): void;
}

export interface RunningServer {
  readonly server: Server;
  readonly client: LanguageClient;
  readonly documents: Documents;
  readonly diagnoser: Diagnoser;
  readonly late: LateFindings;
}

/** Starts a server for a directory below the root and waits until it answers. Throws `lsp_unavailable`. */
export async function launchServer(
  { server, argv, isTrusted }: Choice,
  directory: string,
  options: LaunchOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const { files, settings, log } = options;
  const { PATH } = options.environment;
  const environment = isTrusted ? { ...options.environment, PATH: options.commandPath ?? PATH } : options.environment;
  const root = path.join(files.root, directory);
  const places = {
    cache: () => cacheOf(options.cacheDirectory, server.id, root),
    sitePackages: () => sitePackagesOf(new Set([directory, '.']), files),
  };
  const own = fillIn(server.environment ?? {}, places);
  const variables = serverEnvironment({ environment, root: files.root, isTrusted, own });
  const process = await spawn(server, options, { argv: fillIn(argv, places), cwd: root, environment: variables });
  const placed = {
    ...server,
    initializationOptions: fillIn(server.initializationOptions ?? {}, places),
    ...(server.settings && { settings: fillIn(server.settings, places) }),
  };
  const processId = options.isConfined ? null : globalThis.process.pid;
  const explain = hiddenReasons(argv, variables['PATH'], options);
  const spoken = server.speaks === 'tsserver' ? (await import('../tsserver/speak-lsp.ts')).speakLsp(process) : process;
  const setup = { server: placed, process: spoken, root, workspaceRoot: files.root, processId, explain, log };
  const { LanguageClient } = await import('../client/client.ts'); // It is loaded while the server starts.
  const client = await LanguageClient.start(setup, new Deadline(START_MS, signal)).catch((error) => {
    const hasFailed = error instanceof ServerDied || error instanceof AnsweredError;
    throw hasFailed ? notStarted(error, server, options) : error;
  });
  const documents = new Documents(client, files, (name) => servedLanguageOf(settings.table, name)?.id ?? 'plaintext');
  const diagnoser = new Diagnoser(client, documents, files.root);
  return { server: placed, client, documents, diagnoser, late: new LateFindings() };
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

function hiddenReasons(
  [program = '']: readonly string[],
  searched: string | undefined,
  { hidden: find }: LaunchOptions,
): (said: string) => HiddenReason | undefined {
  if (!find) return () => undefined;
  const programs = (name: string) => findPrograms(name, searched ?? '');
  return (said) => explainHidden(said, [program, ...interpreterOf(program)], { find, programs });
}

function notStarted(
  { message, hidden }: Pick<ServerDied, 'message'> & Partial<ServerDied>,
  server: Server,
  { isConfined = false }: LaunchOptions,
): ToolError {
  const works = `see whether ${path.basename(server.command[0] ?? server.id)} works by itself`;
  const installed = `it is installed with: ${server.install}`;
  const suggestion = isConfined ? `${works} and with --sandbox=off; ${installed}` : `${works}; ${installed}`;
  return new ToolError('lsp_unavailable', message, { suggestion: hidden?.cure ?? suggestion });
}

interface Places {
  cache(): string;
  /** Where the `.venv` has its packages: pyright would run the interpreter of the project to find out. */
  sitePackages(): string[];
}

function fillIn<T>(value: T, places: Places): T {
  if (typeof value === 'string') return value.replaceAll('{cache}', places.cache) as T;
  if (Array.isArray(value)) {
    return value.flatMap((entry) =>
      entry === '{site-packages}' ? places.sitePackages() : [fillIn(entry, places)],
    ) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillIn(entry, places)])) as T;
}

function sitePackagesOf(projects: Iterable<string>, files: SourceFiles): string[] {
  const places = ['.venv', 'venv'].flatMap((name) => VERSIONS_OF_PYTHON.map((version) => `${name}/lib/${version}`));
  return [...projects].flatMap((project) =>
    places
      .filter((place) => files.hasAny(project, [`${place}/site-packages`]))
      .map((place) => path.join(files.root, project, place, 'site-packages')),
  );
}

function cacheOf(cacheDirectory: string, serverId: string, root: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto'); // Loaded here, since most servers keep nothing.
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return path.join(cacheDirectory, 'lsp', `${serverId}-${hash}`);
}
