import type { SandboxPolicy } from '@jinn/core';
import type { BytePath, Mount, UndoneTrap } from './git/index.ts';

export type SandboxName = 'none' | 'bubblewrap' | 'sandbox-exec';

/** A program that confines another, as found on this machine. If there is none, `why` is the reason. */
export type Sandbox =
  | { readonly name: 'bubblewrap' | 'sandbox-exec'; readonly program: string; readonly works: true }
  | { readonly name: 'none'; readonly works: false; readonly why: string };

export interface Confinement {
  /** The workspace and the directory to start in, by their real paths. */
  readonly root: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
  readonly network: boolean;
  /** A directory that the command can read, wherever it is. A real path. `argv` has its files by their paths outside. */
  readonly folder?: string;
  /** A file or directory that a server consists of and could not read otherwise. A real path, that `argv` has too. */
  readonly program?: string | undefined;
  /** A directory that the command can read although it is in a hidden one. Absolute. */
  readonly readable?: string | undefined;
  /** True for a command that may run on after the answer: repositories are read-only for it. */
  readonly lasting: boolean;
  /** Ends the scan of the workspace, which may take seconds. Then the command does not run. */
  readonly signal?: AbortSignal | undefined;
}

export type ServerConfinement = Pick<Confinement, 'root' | 'policy' | 'network'>;

/** The part of the machine that a command sees. All paths are absolute and real. */
export interface CommandView {
  readonly cwd: string;
  /** The writable directories, with the workspace. One that holds another comes before it. */
  readonly writable: readonly string[];
  /** The directory at `/tmp` inside, or undefined for an empty one that is removed with the command. */
  readonly temporary: string | undefined;
  readonly replaced: readonly { readonly from: string; readonly to: string }[];
  readonly settings: string | undefined;
  /** Places in the workspace that are protected, and secrets, in the order in which they are mounted. */
  readonly mounts: readonly Mount[];
  readonly sockets: readonly string[];
  readonly network: boolean;
  /** Directories and files that the command can read although they are hidden, each with its place inside. */
  readonly folders: readonly { readonly path: string; readonly inside: string }[];
}

export interface ProtectedPlace {
  readonly path: string;
  readonly kind: Mount['kind'];
}

export interface ConfinedCommandLine {
  readonly sandbox: SandboxName;
  readonly why?: string;
  readonly argv: readonly string[];
  /** The description of bubblewrap's view, for startCommand. */
  readonly view: readonly string[];
  readonly protectedPlaces: readonly ProtectedPlace[];
  /** Repositories in which no `commondir` may appear. */
  readonly watched: readonly BytePath[];
  readonly warning?: string | undefined;
  /** Undoes, after the command has ended, the changes that would turn git against the user. */
  readonly check: () => Promise<UndoneTrap[]>;
}
