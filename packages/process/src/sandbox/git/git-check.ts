import { posix } from 'node:path';
import { harmfulChanges, isLineByLine, parseSettings, type Setting, withoutHarmful } from './git-config.ts';
import { type GitUnit, OBEYED, repositoryOf } from './git-units.ts';
import { type BytePath, byteText, type HeldDirectory, toSystemPath, withDirectory } from './held-directory.ts';

const MAX_NAMED = 10;

/** A thing that was undone because git, or another program, would have run or obeyed it: its place and content. */
export interface UndoneTrap {
  readonly place: string;
  readonly what: string;
  readonly by?: string;
  readonly setting?: string;
  /** True for what could not be undone, or looked at. */
  readonly isLeft?: true;
}

/** The things in a repository by name: the text of a file, or which file a hook is and when it was changed. */
export type UnitState = ReadonlyMap<BytePath, string>;

interface Check {
  readonly root: BytePath;
  readonly unit: GitUnit;
  readonly units: readonly GitUnit[];
  /** The names of `OBEYED` that existed before the command and were read-only for it. */
  readonly kept: ReadonlySet<string>;
  readonly before: UnitState;
  readonly isNew: boolean;
}

/**
 * Does one part of a check. What fails there ends no other part: a command may have seen to it. `undo` returns undefined
 * for what it could not reach.
 */
export function attempt(place: BytePath, undo: () => UndoneTrap[] | undefined): UndoneTrap[] {
  try {
    return undo() ?? [failure(place, 'it cannot be reached')];
  } catch (error) {
    return [failure(place, (error as NodeJS.ErrnoException).code ?? String(error))];
  }
}

export function failure(place: BytePath, what: string): UndoneTrap {
  return { place: byteText(place), what, isLeft: true };
}

/** Undoes the changes of a command that git obeys: it removes settings, and renames hooks and pointers. */
export function undoTraps(check: Check): UndoneTrap[] {
  const { unit } = check;
  if (unit.kind === 'pointer') return attempt(unit.path, () => undoPointer(check));
  return attempt(unit.path, () =>
    withDirectory(unit.path, (directory) => {
      if (!unit.id.startsWith(`${directory.id}:`)) return [];
      const crowd = unit.isCrowded ? ['worktrees', 'modules'] : [];
      return [
        ...crowd.flatMap((name) => undoCrowd(directory, name, `${byteText(unit.path)}/${name}`)),
        ...OBEYED.filter((name) => !check.kept.has(name)).flatMap((name) =>
          attempt(`${unit.path}/${name}`, () => undoIn(directory, check, name)),
        ),
      ];
    }),
  );
}

function undoCrowd(directory: HeldDirectory, name: string, place: string): UndoneTrap[] {
  if (!directory.stat(name)?.isDirectory()) return [];
  return putAway(directory, name, { place, what: 'too many to be looked at' });
}

/** Removes a link from a repository, through which git would write elsewhere, and renames a directory that is too deep. */
export function undoLink(path: BytePath): UndoneTrap[] {
  return attempt(path, () =>
    withDirectory(posix.dirname(path), (directory) => {
      const name = posix.basename(path);
      const place = byteText(path);
      const target = directory.readLink(name);
      if (target === undefined) return undoCrowd(directory, name, place);
      directory.remove(name);
      return [{ place, what: `a link to ${byteText(target)}`.slice(0, 200) }];
    }),
  );
}

export function stateOf({ kind, path }: GitUnit): UnitState {
  if (kind === 'pointer') return new Map();
  const files = withDirectory(path, (directory) => OBEYED.flatMap((name) => entry(name, directory.read(name))));
  return new Map([...(files ?? []), ...hooksOf(path)]);
}

function hooksOf(path: BytePath): [BytePath, string][] {
  const list = (directory: HeldDirectory) =>
    directory.list().flatMap((name) => entry(`hooks/${name}`, identityOf(directory, name)));
  try {
    return withDirectory(`${path}/hooks`, list) ?? [];
  } catch {
    return []; // It is not ours.
  }
}

function entry(name: BytePath, value: string | undefined): [BytePath, string][] {
  return value === undefined ? [] : [[name, value]];
}

function identityOf(directory: HeldDirectory, name: BytePath): string | undefined {
  const stat = directory.stat(name);
  return stat && `${stat.ino}:${stat.ctimeNs}`;
}

function undoIn(directory: HeldDirectory, check: Check, name: string): UndoneTrap[] | undefined {
  const stat = directory.stat(name);
  if (!stat) return [];
  if (name === 'config' || name === 'config.worktree') return undoSettings(directory, check, name);
  if (name === 'hooks' && stat.isDirectory()) return undoHooks(check);
  const { unit, before } = check;
  const text = directory.read(name)?.trim() ?? '';
  const isOrdinary = name === 'gitdir' || (unit.kind === 'worktree' && name === 'commondir' && text === '../..');
  if (isOrdinary || before.get(name)?.trim() === text) return [];
  return putAway(directory, name, {
    place: `${byteText(unit.path)}/${name}`,
    what: text.slice(0, 200) || 'nothing yet',
  });
}

function undoSettings(directory: HeldDirectory, { unit, root, before, isNew }: Check, name: string): UndoneTrap[] {
  const place = `${byteText(unit.path)}/${name}`;
  const where = { git: unit.path, root, isNew };
  const text = directory.read(name);
  if (text === undefined) return putAway(directory, name, { place, what: 'not a plain file' });
  const old = before.get(name) ?? '';
  // After a line that continues, a harmless line might be part of a program.
  const known = new Set(isLineByLine(old) ? parseSettings(old, where).map(({ identity }) => identity) : []);
  const harmful = parseSettings(text, where).filter(({ isHarmless, identity }) => !isHarmless && !known.has(identity));
  if (harmful.length === 0) return [];
  const undone = { place, what: namesOf(harmful) };
  if (directory.replace(name, withoutHarmful(text, where, known), 0o644)) return [undone];
  return putAway(directory, name, undone);
}

/** Renames the hooks that a command made or changed, since git runs a hook only by its exact name. */
function undoHooks({ unit, before }: Check): UndoneTrap[] | undefined {
  return withDirectory(`${unit.path}/hooks`, (directory) => {
    const hooks = directory.list().filter((name) => !name.endsWith('.sample') && !name.includes('.undone-'));
    const changed = hooks.filter((name) => before.get(`hooks/${name}`) !== identityOf(directory, name));
    return changed.flatMap((name) => {
      const place = `${unit.path}/hooks/${name}`;
      return attempt(place, () => putAway(directory, name, { place: byteText(place), what: 'a hook' }));
    });
  });
}

function putAway(directory: HeldDirectory, name: BytePath, undone: UndoneTrap): UndoneTrap[] {
  directory.putAside(name);
  return [undone];
}

/** Renames a `.git` file or link that names neither a repository that is checked, nor one outside that knows it. */
function undoPointer({ unit, units }: Check): UndoneTrap[] | undefined {
  const parent = posix.dirname(unit.path);
  return withDirectory(parent, (directory) => {
    const name = posix.basename(unit.path);
    const target = /^gitdir: (.+)$/m.exec(directory.read(name) ?? '')?.[1];
    const named = target === undefined ? undefined : posix.resolve(parent, target);
    const isKnown = units.some(({ kind, path }) => kind !== 'pointer' && path === named);
    if (isKnown || repositoryOf(toSystemPath(unit.path).toString()) !== undefined) return [];
    return putAway(directory, name, { place: byteText(unit.path), what: byteText(target ?? 'a link').slice(0, 200) });
  });
}

/**
 * Writes to a repository the harmless changes that a command made in its copy of the settings, if the repository still
 * has those that were copied. Returns what was not written. If a command removed a protected setting, nothing is
 * written.
 */
export function adoptSettings({
  git,
  id,
  root,
  before,
  after,
}: Readonly<Record<'git' | 'id' | 'root' | 'before' | 'after', string>>): UndoneTrap[] {
  if (before === after) return [];
  const place = `${byteText(git)}/config`;
  const where = { git, root };
  const { added, removed } = harmfulChanges(before, after, where);
  const harmful = [...removed, ...added];
  const undone = harmful.length > 0 ? [{ place, what: namesOf(harmful) }] : [];
  const known = new Set(parseSettings(before, where).map(({ identity }) => identity));
  const text = removed.length > 0 ? before : withoutHarmful(after, where, known);
  if (text === before) return undone;
  const isWritten = withDirectory(git, (directory) => {
    if (directory.id !== id || directory.read('config') !== before) return false;
    return directory.replace('config', text, Number(directory.stat('config')?.mode ?? 0o644) & 0o777);
  });
  return isWritten ? undone : [...undone, { place, what: 'changed by another program meanwhile' }];
}

function namesOf(settings: readonly Setting[]): string {
  const names = [...new Set(settings.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
