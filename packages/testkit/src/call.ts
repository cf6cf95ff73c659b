import {
  createRegistry,
  createSession,
  createSpill,
  type Envelope,
  type Host,
  openWorkspace,
  type SandboxPolicy,
  type Session,
  type Tool,
} from '@jinn/core';
import { openHistory } from '@jinn/store';
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
  /** False: as on systems without descriptors to walk by. */
  readonly useProc?: boolean;
  /** False: as with --no-history. */
  readonly history?: boolean;
  /** What the process around it has; its own path alone unless told. */
  readonly environment?: Readonly<Record<string, string>>;
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
  const { useProc, history = true } = options;
  const workspace = openWorkspace({ root, closed: [state], ...(useProc !== undefined && { useProc }) });
  onTestFinished(() => workspace.close());
  const host: Host = {
    workspace,
    session: options.session ?? createSession(),
    spill: createSpill(`${state}/spill`),
    lockDirectory: `${state}/locks`,
    openHistory: async () => (history ? openHistory(state, workspace.root) : undefined),
    environment: options.environment ?? { PATH: process.env['PATH'] },
    sandboxPolicy: async () => ({ ...NO_SANDBOX, state: [state], ...options.sandbox }),
    ...(options.signal && { signal: options.signal }),
    ...(options.approve && { approve: options.approve }),
    ...(options.progress && { progress: options.progress }),
  };
  return registry.call({ tool: tool.name, args }, host);
}
