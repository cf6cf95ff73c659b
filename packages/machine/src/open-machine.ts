import {
  createSpill,
  createUserFiles,
  type Directories,
  type Environment,
  type Machine,
  once,
  openWorkspace,
  type SandboxMode,
} from '@jinn/core';

export interface MachineOptions {
  /** The workspace root. */
  readonly root: string;
  /** The home directory of the user; undefined if there is none. */
  readonly home: string | undefined;
  readonly directories: Directories;
  readonly environment: Environment;
  /** False if files are changed without an undo history. True if absent. */
  readonly history?: boolean;
  /** What the command line says of the sandbox, and the mode if neither it nor config.json says anything. */
  readonly sandbox: {
    readonly mode?: SandboxMode | undefined;
    readonly network?: boolean | undefined;
    readonly fallback: SandboxMode;
  };
  /** False: walk paths as systems without /proc do. */
  readonly useProc?: boolean;
  log(line: string): void;
}

/** The machine of a process, and its end. */
export interface OpenMachine extends Machine {
  /** Lets go of the workspace. Databases stay open until the process ends. */
  close(): void;
}

/**
 * Opens what the calls of a process run in. Databases and settings are opened when a call first needs them. Throws
 * `not_a_directory` if the root is none, and what the system says if it cannot be opened.
 */
export function openMachine(options: MachineOptions): OpenMachine {
  const { root, home, directories, environment, history = true, sandbox, useProc, log } = options;
  const { state, cache } = directories;
  const closed = [state, cache].filter((path) => path !== undefined);
  const workspace = openWorkspace({
    root,
    home,
    closed,
    cacheDirectory: cache,
    ...(useProc !== undefined && { useProc }),
  });
  const store = () => import('@jinn/store');
  return {
    workspace,
    spill: createSpill(cache),
    lockDirectory: state && `${state}/locks`,
    environment,
    user: createUserFiles({ home, state, closed }),
    history: history ? once(async () => (await store()).openHistory(state, workspace.root)) : async () => undefined,
    memory: once(async () => (await store()).openMemory(state, workspace.root)),
    grants: once(async () => (await store()).openGrants(state, workspace.root)),
    sandboxPolicy: async () => {
      const { readSandboxPolicy } = await import('@jinn/process/read-sandbox-policy');
      const { fallback, ...flags } = sandbox;
      return readSandboxPolicy({ directories, home, flags, fallback });
    },
    log,
    close: () => workspace.close(),
  };
}
