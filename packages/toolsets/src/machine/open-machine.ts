import { posix } from 'node:path';
import { type Environment, lazy, type Machine, type SandboxMode } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { StateOfPerson, StateOwner } from '@jinn/store/state-owner';
import {
  createSpill,
  createUserFiles,
  type Directories,
  openWorkspace,
  realName,
  type Workspace,
  withOwnPath,
} from '@jinn/workspace';
import { hasSensitiveSegment } from '@jinn/workspace/secrets/names';
import { homeSecretsBelow } from '@jinn/workspace/secrets/places';

export interface MachineOptions {
  /** The workspace root, by its real path. */
  readonly root: string;
  /** The workspace with which it shares the files of long answers, by its real path. Its own if absent. */
  readonly outputsOf?: string | undefined;
  readonly home: string | undefined;
  readonly directories: Directories;
  /** Files of the operator, such as those with tokens: no tool opens them, and the sandbox hides them. */
  readonly ownFiles?: readonly string[];
  /** The directory with the workspaces of all users. Commands see nothing else in it. */
  readonly apart?: string | undefined;
  readonly servesSeveral?: boolean;
  readonly environment: Environment;
  /** False if files are changed without an undo history. True if absent. */
  readonly history?: boolean;
  /** What the command line says of the sandbox, and the mode if neither it nor config.json says anything: `auto` if absent. */
  readonly sandbox?: {
    readonly mode?: SandboxMode | undefined;
    readonly network?: boolean | undefined;
    readonly fallback?: SandboxMode;
  };
  /** False: walk paths as systems without /proc do. */
  readonly useProc?: boolean;
  /** Returns what opens the state of the user where several servers share it. It is in the state directory if absent. */
  readonly sharedState?: ((owner: StateOwner) => StateOfPerson) | undefined;
  log(line: string): void;
}

export interface OpenMachine extends Machine {
  /** Returns the same machine with what belongs to the user of this name: undo entries, memory, grants and kept outputs. */
  ofPerson(person: string): Machine;
  /** Closes the workspace. Databases stay open until the process ends. */
  close(): void;
}

/**
 * Opens what the calls of a process run in. Databases and settings are opened when a call first needs them. Throws
 * `not_a_directory` if the root is none, `path_outside_sandbox` if it is a secret place, and what the system says if it
 * cannot be opened.
 */
export function openMachine(options: MachineOptions): OpenMachine {
  const { root, home, directories, ownFiles = [], environment, sandbox = {}, log } = options;
  const { state, cache } = directories;
  const closed = [state, cache, ...ownFiles].filter((path) => path !== undefined);
  const isSecret = home === undefined ? undefined : findSecrets(realName(root), realName(home));
  const workspace = openWorkspace({
    root,
    home,
    closed,
    isSecret,
    cacheDirectory: cache,
    variables: { ...environment, HOME: home },
    ...(options.useProc !== undefined && { useProc: options.useProc }),
  });
  if (hasSensitiveSegment(workspace.root) || isSecret?.('.')) throw secretRoot();
  const user = createUserFiles({ home, state, closed });
  const shared: SharedParts = { options, workspace };
  const machine: Machine = {
    lockDirectory: state && `${state}/locks`,
    servesSeveral: options.servesSeveral,
    environment: withOwnPath(environment, workspace.root),
    commandPath: environment['PATH'],
    user,
    ...openPersonal('', shared),
    sandboxPolicy: async () => {
      const { readSandboxPolicy } = await import('@jinn/process/sandbox/read-sandbox-policy');
      const { fallback, ...flags } = sandbox;
      const policy = readSandboxPolicy({ directories, ownFiles, home, environment, flags, fallback });
      return { ...policy, apart: options.apart };
    },
    log,
  };
  const people = new Map([['', machine]]);
  const ofPerson = (person: string): Machine => {
    const known = people.get(person) ?? { ...machine, ...openPersonal(person, shared) };
    people.set(person, known);
    return known;
  };
  return { ...machine, ofPerson, close: () => workspace.close() };
}

function findSecrets(root: string, home: string): ((path: string) => boolean) | undefined {
  const isIn = (path: string, place: string) => !posix.relative(place, path).startsWith('..');
  return isIn(root, home) || isIn(home, root) ? homeSecretsBelow(root, home) : undefined;
}

function secretRoot(): ToolError {
  return new ToolError(
    'path_outside_sandbox',
    'blocked: the directory to work in is a secret place, such as .ssh or .git',
    { suggestion: 'start jinn in the directory of a project' },
  );
}

interface SharedParts {
  readonly options: MachineOptions;
  readonly workspace: Workspace;
}

function openPersonal(
  person: string,
  shared: SharedParts,
): Pick<Machine, 'spill' | 'workspace' | 'history' | 'memory' | 'grants'> {
  const { options, workspace } = shared;
  const { root, outputsOf = root, directories, history = true, sharedState } = options;
  const owner = { root: workspace.root, person, directory: directories.state };
  const opened = sharedState?.(owner) ?? ownState(owner);
  const spill = createSpill(directories.cache, person === '' ? outputsOf : `${outputsOf}\0${person}`);
  return {
    spill,
    workspace: workspace.withSpill(spill),
    history: history ? lazy(opened.history) : async () => undefined,
    memory: lazy(opened.memory),
    grants: lazy(opened.grants),
  };
}

function ownState({ root, person, directory }: StateOwner): StateOfPerson {
  const store = () => import('@jinn/store');
  return {
    history: async () => (await store()).openHistory(directory, root, { person }),
    memory: async () => (await store()).openMemory(directory, root, person),
    grants: async () => (await store()).openGrants(directory, root, person),
  };
}
