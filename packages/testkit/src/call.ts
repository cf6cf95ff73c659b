import path from 'node:path';
import {
  createRegistry,
  createSession,
  createSpill,
  type Envelope,
  openWorkspace,
  type Session,
  type Tool,
} from '@jinn/core';
import { onTestFinished } from 'vitest';
import { type FileTree, makeTree } from './make-tree.ts';
import { makeTempDirectory } from './temp-directory.ts';

export interface CallOptions {
  /** What the workspace holds; written before the call. */
  readonly files?: FileTree;
  /** A workspace to use instead of a fresh one. */
  readonly root?: string;
  readonly session?: Session;
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
  const workspace = openWorkspace({ root });
  onTestFinished(() => workspace.close());
  const spill = createSpill(path.join(makeTempDirectory(), 'spill'));
  return registry.call({ tool: tool.name, args }, { workspace, session: options.session ?? createSession(), spill });
}
