import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { isWithin } from '@jinn/workspace';
import type { RunFiles } from '@jinn/workspace/secrets/run-files';
import { realPath } from '../../index.ts';
import {
  attempt,
  type Mount,
  readOnlyMounts,
  setMode,
  statOf,
  toBytePath,
  type UndoneTrap,
  withDirectory,
} from '../git/index.ts';
import { existingBelow, namesIn } from '../view/sandbox-places.ts';

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
  const find = (place: RunPlace, ways: string[] = []) =>
    existingBelow(place.top, place.files.tree, { ways, list: allNamesIn }).filter(
      (path) => !isOpened(path, place.top, policy),
    );
  const ways: string[] = [];
  const places = tops.flatMap((place) => find(place, ways));
  const [before, links] = [new Set(places), new Set(ways.filter(isLink))];
  const check = () => {
    const made = new Map<string, string>();
    for (const place of tops) {
      for (const path of find(place).filter((path) => !before.has(path))) {
        const link = linkAbove(path, place.top);
        const isNewLink = link !== undefined && !links.has(link);
        const real = isNewLink ? link : `${realPath(posix.dirname(path))}/${posix.basename(path)}`;
        // Commands cannot make what is elsewhere behind a link of the user.
        if (tops.some(({ top }) => isWithin(real, top))) made.set(real, place.files.runnerOf(path) ?? 'a program');
      }
    }
    return [...made].flatMap(([path, runner]) => undo(path, runner));
  };
  return { places, mounts: places.flatMap((path) => readOnlyMounts(toBytePath(path))), check };
}

function isOpened(path: string, top: string, { writable, opened = [] }: SandboxPolicy): boolean {
  const names = opened.map((name) => `${top}/${name}`);
  return [...writable, ...names].some((place) => place !== top && isWithin(place, top) && isWithin(path, place));
}

/** Lists a directory also if a command has closed it to listing: programs open a file in it by its name. */
function allNamesIn(directory: string): string[] | undefined {
  const names = namesIn(directory);
  if (names !== undefined) return names;
  const real = toBytePath(realPath(directory) ?? directory);
  const mode = setMode(real);
  const found = namesIn(directory);
  if (mode !== undefined) setMode(real, mode);
  return found;
}

function isLink(path: string): boolean {
  return statOf(toBytePath(path))?.isSymbolicLink() ?? false;
}

/** Returns the first link on the way from a directory to a path in it. */
function linkAbove(path: string, top: string): string | undefined {
  const names = posix.dirname(path).slice(top.length).split('/').filter(Boolean);
  return names.map((_, i) => `${top}/${names.slice(0, i + 1).join('/')}`).find(isLink);
}

function undo(path: string, runner: string): UndoneTrap[] {
  const place = toBytePath(path);
  return attempt(place, () =>
    withDirectory(posix.dirname(place), (directory) => {
      const name = posix.basename(place);
      if (directory.stat(name) === undefined) return [];
      directory.putAside(name);
      return [{ place: path, by: runner, what: 'a new file of those that it runs', setting: OPENING }];
    }),
  );
}

/** The setting that opens such files. */
export const OPENING = '"sandbox": {"writable": […]} in config.json';
