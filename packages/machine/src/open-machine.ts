import { createSpill, createUserFiles, type Directories, mayRecord, openWorkspace } from '@jinn/guard';
import type { SharedState, StateOwner } from '@jinn/store/postgres';
import { type Environment, type Machine, once, type SandboxMode } from '@jinn/tool';

export interface MachineOptions {
  /** The workspace root, by its real path. */
  readonly root: string;
  /** The workspace with which it shares the files of long answers, by its real path; its own if absent. */
  readonly outputsOf?: string | undefined;
  /** The home directory of the user; undefined if there is none. */
  readonly home: string | undefined;
  readonly directories: Directories;
  /** Files of the operator, such as those with tokens: no tool opens them, and the sandbox hides them. */
  readonly ownFiles?: readonly string[];
  /** The program that opens it, and how it is called, for the journal. Calls are not written down if absent. */
  readonly door?: string;
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
  /** Returns what opens the state of a person where several servers share it; it is in the state directory if absent. */
  readonly sharedState?: ((owner: StateOwner) => SharedState) | undefined;
  log(line: string): void;
}

/** The machine of a process, and its end. */
export interface OpenMachine extends Machine {
  /** Returns the same machine with what belongs to the person of this name: undo entries, memory, grants and kept outputs. */
  ofPerson(person: string): Machine;
  /** Closes the workspace. Databases stay open until the process ends. */
  close(): void;
}

/** What belongs to a person. */
type Personal = 'spill' | 'workspace' | 'history' | 'memory' | 'grants' | 'journal';

/**
 * Opens what the calls of a process run in. Databases and settings are opened when a call first needs them. Throws
 * `not_a_directory` if the root is none, and what the system says if it cannot be opened.
 */
export function openMachine(options: MachineOptions): OpenMachine {
  const {
    root,
    outputsOf = root,
    home,
    directories,
    ownFiles = [],
    door,
    environment,
    history = true,
    sandbox,
    useProc,
    log,
  } = options;
  const { state, cache } = directories;
  const closed = [state, cache, ...ownFiles].filter((path) => path !== undefined);
  const workspace = openWorkspace({
    root,
    home,
    closed,
    cacheDirectory: cache,
    ...(useProc !== undefined && { useProc }),
  });
  const outputs = (person: string): Pick<Machine, 'spill' | 'workspace'> => {
    const spill = createSpill(cache, person === '' ? outputsOf : `${outputsOf}\0${person}`);
    return { spill, workspace: workspace.withKept(spill) };
  };
  const hasReason = lookAgain(() => mayRecord(directories));
  const recording = (given: { door: string; cache: string; person: string }) => {
    const open = once(async () => {
      const { journalDirectory, openJournal } = await import('@jinn/journal');
      const config = () => machine.user.state.read('config.json')?.toString();
      return openJournal({
        ...given,
        directory: journalDirectory(given.cache),
        workspace: workspace.root,
        config,
        log,
      });
    });
    return () => (hasReason() ? open() : undefined);
  };
  const stateOf = (person: string): Pick<Machine, Personal> => {
    const owner = { root: workspace.root, person, directory: state };
    const opened = options.sharedState?.(owner) ?? ownState(owner);
    return {
      ...outputs(person),
      history: history ? once(opened.history) : async () => undefined,
      memory: once(opened.memory),
      grants: once(opened.grants),
      ...(door !== undefined && cache !== undefined && { journal: recording({ door, cache, person }) }),
    };
  };

  const machine: Machine = {
    lockDirectory: state && `${state}/locks`,
    environment,
    user: createUserFiles({ home, state, closed }),
    ...stateOf(''),
    sandboxPolicy: async () => {
      const { readSandboxPolicy } = await import('@jinn/sandbox/read-sandbox-policy');
      const { fallback, ...flags } = sandbox;
      return readSandboxPolicy({ directories, ownFiles, home, environment, flags, fallback });
    },
    log,
  };
  const people = new Map([['', machine]]);
  const ofPerson = (person: string): Machine => {
    const known = people.get(person) ?? { ...machine, ...stateOf(person) };
    people.set(person, known);
    return known;
  };
  return { ...machine, ofPerson, close: () => workspace.close() };
}

/** Returns what opens the state of a person in the state directory. */
function ownState({ root, person, directory }: StateOwner): SharedState {
  const store = () => import('@jinn/store');
  return {
    history: async () => (await store()).openHistory(directory, root, { person }),
    memory: async () => (await store()).openMemory(directory, root, person),
    grants: async () => (await store()).openGrants(directory, root, person),
  };
}

/** Makes a function that looks, and gives the same answer for a second. */
function lookAgain(look: () => boolean): () => boolean {
  let known = false;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    const now = process.uptime();
    if (now < until) return known;
    until = now + 1;
    known = look();
    return known;
  };
}
