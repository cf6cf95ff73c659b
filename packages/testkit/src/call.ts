import {
  createRegistry,
  createSession,
  createSpill,
  createUserFiles,
  type Envelope,
  type Host,
  openWorkspace,
  type SandboxPolicy,
  type Session,
  type Tool,
} from '@jinn/core';
import { openHistory, openMemory } from '@jinn/store';
import { onTestFinished } from 'vitest';
import { type FileTree, makeTree } from './make-tree.ts';
import { makeTempDirectory } from './temp-directory.ts';

export interface CallOptions {
  /** What the workspace holds; written before the call. */
  readonly files?: FileTree;
  /** A workspace to use instead of a fresh one. */
  readonly root?: string;
  readonly session?: Session;
  /** Where the undo history and the locks are; calls that share it see each other's history. None: a fresh one. */
  readonly state?: string;
  /** The user's home; none unless given. */
  readonly home?: string;
  /** The client that the request names. */
  readonly client?: string;
  /** False: as on systems without descriptors to walk by. */
  readonly useProc?: boolean;
  /** The variables of the process; its own when there are none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** False: as with --no-history. */
  readonly history?: boolean;
  readonly log?: Host['log'];
  readonly sandbox?: Partial<SandboxPolicy>;
  readonly signal?: AbortSignal;
  readonly approve?: NonNullable<Host['approve']>;
  readonly progress?: NonNullable<Host['progress']>;
}

const NO_SANDBOX = { mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] } as const;

/** Calls a tool as a front-end would: through the registry, in a workspace of real files. */
export async function call(tool: Tool, args: unknown, options: CallOptions = {}): Promise<Envelope> {
  const root = options.root ?? makeTempDirectory();
  makeTree(root, options.files ?? {});
  const registry = createRegistry({
    toolsets: [{ name: 'test', tools: [{ name: tool.name, load: async () => tool }] }],
    version: '0.0.0-test',
    policy: () => undefined,
    onInternalError: (error) => console.error(error),
  });
  const state = options.state ?? makeTempDirectory();
  const { useProc, history = true, environment = process.env, home, client } = options;
  const workspace = openWorkspace({ root, closed: [state], ...(useProc !== undefined && { useProc }) });
  onTestFinished(() => workspace.close());
  const host: Host = {
    workspace,
    session: options.session ?? createSession(),
    spill: createSpill(`${state}/spill`),
    lockDirectory: `${state}/locks`,
    environment,
    openHistory: async () => (history ? openHistory(state, workspace.root) : undefined),
    openMemory: () => openMemory(state, workspace.root),
    user: createUserFiles({ home, state, closed: [state] }),
    log: options.log ?? (() => {}),
    sandboxPolicy: async () => ({ ...NO_SANDBOX, state: [state], ...options.sandbox }),
    ...(options.signal && { signal: options.signal }),
    ...(options.approve && { approve: options.approve }),
    ...(options.progress && { progress: options.progress }),
  };
  return registry.call({ tool: tool.name, args, ...(client !== undefined && { client }) }, host);
}
