import {
  type CallHooks,
  createRegistry,
  createSession,
  type Envelope,
  type Machine,
  type SandboxPolicy,
  type Session,
  type Tool,
  toEnvelope,
} from '@jinn/core';
import { openMachine } from '@jinn/toolsets/machine';
import { onTestFinished } from 'vitest';
import { type FileTree, makeTree } from './make-tree.ts';
import { makeTempDirectory } from './temp-directory.ts';

export interface MachineOptions {
  /** The workspace; a fresh one if absent. */
  readonly root?: string;
  /**
   * The directory of the undo history and the locks; calls that share it see each other's history. A fresh one if
   * absent.
   */
  readonly state?: string;
  /** The user's home; there is none if absent. */
  readonly home?: string;
  /** False to walk paths as systems without /proc do. */
  readonly useProc?: boolean;
  /** The variables of the process; its own if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** False to run without an undo history. */
  readonly history?: boolean;
  /** True if the process answers several people. */
  readonly servesSeveral?: boolean;
  /** Whose call it is; a user without a name if absent. */
  readonly person?: string;
  readonly log?: Machine['log'];
  readonly sandbox?: Partial<SandboxPolicy>;
}

export interface CallOptions extends MachineOptions, Partial<CallHooks> {
  /** The files of the workspace; written before the call. */
  readonly files?: FileTree;
  readonly session?: Session;
  /** The names of other tools that are served. They cannot be called. */
  readonly others?: readonly string[];
}

const NO_SANDBOX = { mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] } as const;

/** Opens a machine of real files, as the programs do, that is closed when the test ends. */
export function openTestMachine(options: MachineOptions = {}): Machine {
  const { root = makeTempDirectory(), state = makeTempDirectory(), home, environment = process.env } = options;
  const { history, useProc, servesSeveral = false, sandbox, person = '', log = () => {} } = options;
  const machine = openMachine({
    root,
    home,
    directories: { state, cache: `${state}/spill` },
    environment,
    servesSeveral,
    log,
    ...(history !== undefined && { history }),
    ...(useProc !== undefined && { useProc }),
  });
  onTestFinished(() => machine.close());
  return { ...machine.ofPerson(person), sandboxPolicy: async () => ({ ...NO_SANDBOX, state: [state], ...sandbox }) };
}

/** Calls a tool as a front-end would, through the registry, in a workspace of real files; answers as `jinn` does. */
export async function call(tool: Tool, args: unknown, options: CallOptions = {}): Promise<Envelope> {
  const { root = makeTempDirectory(), files = {}, session = createSession(), others = [] } = options;
  makeTree(root, files);
  const served = others.map((name) => ({ name, effect: 'read' as const, load: () => Promise.reject(new Error(name)) }));
  const registry = await createRegistry({
    toolsets: [toolsetOf('test', [tool]), { name: 'others', tools: served }],
    version: '0.0.0-test',
    onInternalError: (error) => console.error(error),
  });
  const machine = openTestMachine({ ...options, root });
  const {
    client,
    signal,
    showsVisualizations = false,
    ask,
    progress,
    watchOutput,
    dangerous,
    maxResult,
    lacksForOthers,
    server,
    wantsMeta = true,
  } = options;
  const caller = {
    session,
    client,
    signal,
    server,
    showsVisualizations,
    wantsMeta,
    dangerous,
    maxResult,
    ask,
    lacksForOthers,
    progress,
    watchOutput,
  };
  return toEnvelope(await registry.call({ tool: tool.name, args }, { ...machine, ...caller }));
}

/** Makes a fixed toolset of tools that are loaded already. */
export function toolsetOf(name: string, tools: readonly Tool[]) {
  return { name, tools: tools.map((tool) => ({ name: tool.name, effect: tool.effect, load: async () => tool })) };
}
