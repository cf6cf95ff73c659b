import path from 'node:path';
import type { Grants } from '@jinn/core';
import { serverTrust, trustedFingerprints } from '@jinn/core/trust';
import { packageOf, realPath, withDependencies } from '@jinn/process';
import { findNamed, fingerprintFiles } from '@jinn/store/fingerprints';
import { isUnder } from '../client/positions.ts';
import type { Server } from './server-table.ts';

export interface ServerTrust {
  /** `fingerprint` is only called if the server was ever trusted. */
  isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean>;
  /** How the user lets a server start, as the end of a sentence. */
  wayToTrust(id: string): Promise<string>;
  started(id: string): void;
}

/** The code of a workspace that runs when a server starts. The user trusts it as it is. */
export interface OwnCode {
  readonly why: string;
  /**
   * A hash of all that decides which code runs: programs of the workspace with their packages, and the files that the
   * table names. Undefined if that is too much.
   */
  fingerprint(): Promise<string | undefined>;
}

export interface OwnParts {
  readonly root: string;
  /** Set if it is in the workspace. */
  readonly program?: string | undefined;
  /** The tsserver.js, if it is in the workspace. */
  readonly typescript?: string | undefined;
  readonly runsProjectCode: boolean;
}

/** The names of files that decide which code of the workspace a server runs. */
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

/** Describes the code of the workspace that a server would run. Undefined if there is none. */
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

/** A program of npm is its package with its dependencies. A script of pnpm also runs a `node` next to it. */
function partsOf(program: string, root: string): string[] {
  const holder = packageOf(program);
  const packages = holder === undefined ? [] : withDependencies(holder);
  return [program, path.join(path.dirname(program), 'node'), ...packages.filter((each) => isInWorkspace(root, each))];
}

/** Reports whether a file is in the workspace by its name or by where its links lead. */
export function isInWorkspace(root: string, file: string): boolean {
  return [file, realPath(file) ?? file].some((name) => isUnder(root, name));
}

/** The trust of a session: the grants of the workspace, and what the user has approved once. */
export class SessionTrust implements ServerTrust {
  readonly #grants: () => Promise<Grants>;
  readonly #once = new Map<string, string>();

  constructor(grants: () => Promise<Grants>) {
    this.#grants = grants;
  }

  /** Counts only while the server's code stays the same. */
  allowOnce(id: string, fingerprint: string): void {
    this.#once.set(id, fingerprint);
  }

  async isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean> {
    const granted = await trustedFingerprints(serverTrust(id), this.#grants);
    const approved = [this.#once.get(id), ...granted].filter((known) => known !== undefined);
    if (approved.length === 0) return false;
    const now = await fingerprint();
    return now !== undefined && approved.includes(now);
  }

  async wayToTrust(id: string): Promise<string> {
    const { person } = await this.#grants();
    return person === ''
      ? `this command allows it: ${trustCommand(id)}`
      : 'they can allow it where their host can ask them, with the scope jinn:execute';
  }

  started(id: string): void {
    this.#once.delete(id);
  }
}

function trustCommand(id: string): string {
  return `jinn lsp trust ${/^[\w.-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`}`;
}
