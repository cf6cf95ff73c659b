import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { findAllChanges, type GitChanges } from './git-changes.ts';

/** The changes between two commits, laid out in a directory as the second commit has them. */
export interface RangeLayout {
  readonly repositories: readonly GitChanges[];
  /** Each file has its absolute path below it. */
  readonly directory: string;
  readonly changed: ReadonlySet<string>;
  has(target: string): boolean;
  /** Reports whether something changed at or below an absolute path, or was moved from there. */
  touches(target: string): boolean;
}

export interface RangeTargets {
  readonly targets: readonly string[];
  readonly directories: readonly string[];
  /** Directories that are in the layout even if nothing changed there. */
  readonly present: readonly string[];
  readonly range: string;
  readonly variables: Environment;
  readonly signal?: AbortSignal | undefined;
  readonly into: string;
}

/** Lays out the changes at and below some targets. */
export async function layOutRange({
  targets,
  directories,
  present,
  range,
  variables,
  signal,
  into,
}: RangeTargets): Promise<RangeLayout> {
  const repositories = await findAllChanges(directories, range, variables, signal);
  for (const { layOut } of repositories) await layOut?.(targets, into);
  for (const directory of [...directories, ...present]) fs.mkdirSync(path.join(into, directory), { recursive: true });
  const all = repositories.flatMap(({ changed, removed }) => [...changed, ...removed]);
  return {
    repositories,
    directory: into,
    changed: new Set(repositories.flatMap(({ changed }) => changed.map((file) => path.join(into, file)))),
    has: (target) => fs.existsSync(path.join(into, target)),
    touches: (target) => all.some((file) => file === target || file.startsWith(path.join(target, '/'))),
  };
}

/** Makes an empty directory, which is removed when the process ends, or by the returned function. */
export function makeLayoutDirectory(): { readonly into: string; remove(): void } {
  const into = fs.mkdtempSync(path.join(fs.realpathSync.native(os.tmpdir()), 'jinn-range-'));
  const remove = () => {
    process.off('exit', remove);
    fs.rmSync(into, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return { into, remove };
}
