import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import type { RunFiles } from '@jinn/workspace/secrets/run-files';
import { type Mount, readOnlyMounts, toBytePath, type UndoneTrap, withDirectory } from '../git/index.ts';
import { existingBelow, isWithin } from '../view/sandbox-places.ts';

export interface RunPlace {
  readonly top: string;
  readonly files: RunFiles;
}

export interface GuardedRunFiles {
  readonly places: readonly string[];
  readonly mounts: readonly Mount[];
  /** Renames, after the command, the files of the table that it made: no program runs them by another name. */
  check(): UndoneTrap[];
}

/** Keeps commands from changing files that programs run by themselves, unless the settings open them. */
export function guardRunFiles(tops: readonly RunPlace[], policy: SandboxPolicy): GuardedRunFiles {
  const find = (place: RunPlace) =>
    existingBelow(place.top, place.files.tree()).filter((path) => !isOpened(path, place.top, policy));
  const places = tops.flatMap(find);
  const before = new Set(places);
  const check = () =>
    tops.flatMap((place) =>
      find(place)
        .filter((path) => !before.has(path))
        .flatMap((path) => undo(path, place.files.runnerOf(path) ?? 'a program')),
    );
  return { places, mounts: places.flatMap((path) => readOnlyMounts(toBytePath(path))), check };
}

function isOpened(path: string, top: string, { writable, opened = [] }: SandboxPolicy): boolean {
  const names = opened.map((name) => `${top}/${name}`);
  return [...writable, ...names].some((place) => place !== top && isWithin(place, top) && isWithin(path, place));
}

function undo(path: string, runner: string): UndoneTrap[] {
  const undone = withDirectory(toBytePath(posix.dirname(path)), (directory) => {
    const name = toBytePath(posix.basename(path));
    if (directory.stat(name) === undefined) return [];
    directory.rename(name, `${name}.undone-${Date.now().toString(36)}`);
    return [{ place: path, by: runner, what: 'a new file of those that it runs', setting: OPENING }];
  });
  return undone ?? [];
}

/** The setting that opens such files. */
export const OPENING = '"sandbox": {"writable": […]} in config.json';
