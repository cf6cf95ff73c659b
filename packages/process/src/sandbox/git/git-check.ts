import { posix } from 'node:path';
import { type BytePath, toSystemPath, toText } from './byte-path.ts';
import { harmfulChanges, isLineByLine, readSettings, type Setting, withoutHarmful } from './git-config.ts';
import { type GitUnit, OBEYED, repositoryOf } from './git-units.ts';
import { type HeldDirectory, withDirectory } from './held-directory.ts';

/** How many of the settings that were undone together are named. */
const MAX_NAMED = 10;

/** A thing that was undone because git, or another program, would have run or obeyed it: its place and content. */
export interface UndoneTrap {
  readonly place: string;
  readonly what: string;
  /** The program; git if absent. */
  readonly by?: string;
  /** The setting that would have allowed it, if there is one. */
  readonly setting?: string;
}

/** The things in a repository by name: the text of a file, or which file a hook is and when it was changed. */
export type UnitState = ReadonlyMap<BytePath, string>;

interface Check {
  /** The root of the workspace. */
  readonly root: BytePath;
  readonly unit: GitUnit;
  /** The units that exist now. */
  readonly units: readonly GitUnit[];
  /** The names of `OBEYED` that existed before the command and were read-only for it. */
  readonly kept: ReadonlySet<string>;
  /** The state before the command, which stays. */
  readonly before: UnitState;
  /** True if a command made it. */
  readonly isNew: boolean;
}

/**
 * Looks at the changes of a command in a repository, and undoes those that git obeys: harmful settings are removed;
 * hooks, and files that lead git elsewhere, are renamed.
 */
export function undoTraps(check: Check): UndoneTrap[] {
  const { unit } = check;
  if (unit.kind === 'pointer') return undoPointer(check);
  const undone = withDirectory(unit.path, (directory) => {
    if (!unit.id.startsWith(`${directory.id}:`)) return [];
    const crowd = unit.isCrowded ? ['worktrees', 'modules'].flatMap((name) => undoCrowd(directory, unit, name)) : [];
    return [
      ...crowd,
      ...OBEYED.filter((name) => !check.kept.has(name)).flatMap((name) => undoIn(directory, check, name)),
    ];
  });
  return undone ?? [];
}

/** Returns the things in a repository that git obeys, by name. */
export function stateOf({ kind, path }: GitUnit): UnitState {
  if (kind === 'pointer') return new Map();
  const files = withDirectory(path, (directory) => OBEYED.flatMap((name) => entry(name, directory.read(name))));
  const hooks = withDirectory(`${path}/hooks`, (directory) =>
    directory.list('.').flatMap((name) => entry(`hooks/${name}`, identityOf(directory, name))),
  );
  return new Map([...(files ?? []), ...(hooks ?? [])]);
}

function entry(name: BytePath, value: string | undefined): [BytePath, string][] {
  return value === undefined ? [] : [[name, value]];
}

function identityOf(directory: HeldDirectory, name: BytePath): string | undefined {
  const stat = directory.stat(name);
  return stat && `${stat.ino}:${stat.ctimeNs}`;
}

function undoCrowd(directory: HeldDirectory, { path }: GitUnit, name: string): UndoneTrap[] {
  if (!directory.stat(name)?.isDirectory()) return [];
  return putAway(directory, name, { place: `${toText(path)}/${name}`, what: 'too many to be looked at' });
}

function undoIn(directory: HeldDirectory, check: Check, name: string): UndoneTrap[] {
  const stat = directory.stat(name);
  if (!stat) return [];
  if (name === 'config' || name === 'config.worktree') return undoSettings(directory, check, name);
  if (name === 'hooks' && stat.isDirectory()) return undoHooks(check);
  const { unit, before } = check;
  const text = directory.read(name)?.trim() ?? '';
  const isOrdinary = name === 'gitdir' || (unit.kind === 'worktree' && name === 'commondir' && text === '../..');
  if (isOrdinary || before.get(name)?.trim() === text) return [];
  return putAway(directory, name, { place: `${toText(unit.path)}/${name}`, what: text.slice(0, 200) || 'nothing yet' });
}

function undoSettings(directory: HeldDirectory, { unit, root, before, isNew }: Check, name: string): UndoneTrap[] {
  const place = `${toText(unit.path)}/${name}`;
  const where = { git: unit.path, root, isNew };
  const text = directory.read(name);
  if (text === undefined) return putAway(directory, name, { place, what: 'not a plain file' });
  const old = before.get(name) ?? '';
  // After a line that continues, a harmless line might be part of a program.
  const known = new Set(isLineByLine(old) ? readSettings(old, where).map(({ identity }) => identity) : []);
  const harmful = readSettings(text, where).filter(({ isHarmless, identity }) => !isHarmless && !known.has(identity));
  if (harmful.length === 0) return [];
  const undone = { place, what: namesOf(harmful) };
  if (directory.replace(name, withoutHarmful(text, where, known), 0o644)) return [undone];
  return putAway(directory, name, undone);
}

/** Renames the hooks that a command made or changed, since git runs a hook only by its exact name. */
function undoHooks({ unit, before }: Check): UndoneTrap[] {
  const undone = withDirectory(`${unit.path}/hooks`, (directory) => {
    const hooks = directory.list('.').filter((name) => !name.endsWith('.sample') && !name.includes('.undone-'));
    const changed = hooks.filter((name) => before.get(`hooks/${name}`) !== identityOf(directory, name));
    return changed.flatMap((name) =>
      putAway(directory, name, { place: `${toText(unit.path)}/hooks/${toText(name)}`, what: 'a hook' }),
    );
  });
  return undone ?? [];
}

function putAway(directory: HeldDirectory, name: BytePath, undone: UndoneTrap): UndoneTrap[] {
  directory.rename(name, `${name}.undone-${Date.now().toString(36)}`);
  return [undone];
}

/** Renames a `.git` file or link that names neither a repository that is checked, nor one outside that knows it. */
function undoPointer({ unit, units }: Check): UndoneTrap[] {
  const parent = posix.dirname(unit.path);
  const undone = withDirectory(parent, (directory) => {
    const name = posix.basename(unit.path);
    const target = /^gitdir: (.+)$/m.exec(directory.read(name) ?? '')?.[1];
    const named = target === undefined ? undefined : posix.resolve(parent, target);
    const isKnown = units.some(({ kind, path }) => kind !== 'pointer' && path === named);
    if (isKnown || repositoryOf(toSystemPath(unit.path).toString()) !== undefined) return [];
    return putAway(directory, name, { place: toText(unit.path), what: toText(target ?? 'a link').slice(0, 200) });
  });
  return undone ?? [];
}

interface ChangedSettings {
  readonly git: BytePath;
  /** Identifies the directory that the repository was when its settings were copied. */
  readonly id: string;
  readonly root: BytePath;
  readonly before: string;
  readonly after: string;
}

/**
 * Writes to a repository the harmless changes that a command made in its copy of the settings, if the settings are
 * still those that were copied. Returns the changes that were not written, and why. If a command removed a setting that
 * it may not remove, nothing is written.
 */
export function adoptSettings({ git, id, root, before, after }: ChangedSettings): UndoneTrap[] {
  if (before === after) return [];
  const place = `${toText(git)}/config`;
  const where = { git, root };
  const { added, removed } = harmfulChanges(before, after, where);
  const harmful = [...removed, ...added];
  const undone = harmful.length > 0 ? [{ place, what: namesOf(harmful) }] : [];
  const known = new Set(readSettings(before, where).map(({ identity }) => identity));
  const text = removed.length > 0 ? before : withoutHarmful(after, where, known);
  if (text === before) return undone;
  const isWritten = withDirectory(git, (directory) => {
    if (directory.id !== id || directory.read('config') !== before) return false;
    return directory.replace('config', text, Number(directory.stat('config')?.mode ?? 0o644) & 0o777);
  });
  return isWritten ? undone : [...undone, { place, what: 'changed by somebody else meanwhile' }];
}

function namesOf(settings: readonly Setting[]): string {
  const names = [...new Set(settings.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
