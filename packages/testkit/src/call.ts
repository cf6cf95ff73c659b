import {
  createRegistry,
  createSession,
  createSpill,
  type Envelope,
  type Host,
  openWorkspace,
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
}

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
    environment: {},
    log: () => undefined,
    openHistory: async () => (history ? openHistory(state, workspace.root) : undefined),
  };
  return registry.call({ tool: tool.name, args }, host);
}
