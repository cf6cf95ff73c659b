import path from 'node:path';
import { packageOf, realPath, withDependencies } from '@jinn/process';
import { findNamed, fingerprintFiles } from '@jinn/store/fingerprints';
import { isWithin } from '../client/uris.ts';
import type { Server } from './server-table.ts';

/** The code of a workspace that runs when a server starts. A person trusts it as it is. */
export interface OwnCode {
  /** The reason: a clause that begins with "it". */
  readonly why: string;
  /**
   * Returns a hash of everything that decides which code runs: the programs of the workspace with their packages, and
   * the files that the table names for the server. Returns undefined if that is too much to be hashed.
   */
  fingerprint(): Promise<string | undefined>;
}

export interface OwnParts {
  /** Absolute and real. */
  readonly root: string;
  /** The server's program, if it lies in the workspace. */
  readonly program?: string | undefined;
  /** The tsserver.js that the server loads, if it lies in the workspace. */
  readonly typescript?: string | undefined;
  readonly runsProjectCode: boolean;
}

/** Returns the names of the files that decide which code of the workspace a server runs. */
export function codeNames({ runsCodeOf = [], codeFiles = [] }: Server): readonly string[] {
  return [...runsCodeOf, ...codeFiles];
}

/** Reports whether a server runs code of this workspace when it opens it. */
export async function runsProjectCode(server: Server, root: string): Promise<boolean> {
  if (server.runsProjectCode === undefined) return false;
  if (!server.runsCodeOf) return true;
  const found = await findNamed(root, server.runsCodeOf, { first: true });
  return found === undefined || found.length > 0;
}

/** Describes the code of the workspace that a server would run; undefined if there is none. */
export function describeOwnCode(server: Server, parts: OwnParts): OwnCode | undefined {
  const { root, program, typescript } = parts;
  const reasons = [
    ...(program === undefined ? [] : ['it is a program of the workspace']),
    ...(typescript === undefined ? [] : ['it would load the TypeScript of the workspace']),
    ...(parts.runsProjectCode ? [`it runs code of the workspace: ${server.runsProjectCode}`] : []),
  ];
  if (reasons.length === 0) return undefined;
  const programs = [program, typescript].filter((file) => file !== undefined);
  return {
    why: reasons.join(', and '),
    fingerprint: async () => {
      const runsMore = parts.runsProjectCode || program !== undefined;
      const named = runsMore ? await findNamed(root, codeNames(server)) : [];
      if (!named) return undefined;
      return fingerprintFiles(root, [...programs.flatMap((file) => partsOf(file, root)), ...named]);
    },
  };
}

/**
 * Returns the parts of a program. A program of npm is its package and the packages that it depends on; a script of pnpm
 * also runs a `node` beside it, if there is one.
 */
function partsOf(program: string, root: string): string[] {
  const holder = packageOf(program);
  const packages = holder === undefined ? [] : withDependencies(holder);
  return [program, path.join(path.dirname(program), 'node'), ...packages.filter((each) => isInWorkspace(root, each))];
}

/** Reports whether a file lies in the workspace by its name or by where its links lead. */
export function isInWorkspace(root: string, file: string): boolean {
  return [file, realPath(file) ?? file].some((name) => isWithin(root, name));
}
