import fs from 'node:fs';
import { posix } from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { realPath } from '../../index.ts';
import type { Confinement } from '../confinement.ts';
import {
  adoptSettings,
  attempt,
  type BytePath,
  byteText,
  failure,
  findUnits,
  type GitUnit,
  isLineByLine,
  type Mount,
  OBEYED,
  repositoryOf,
  setMode,
  stateOf,
  statOf,
  toBytePath,
  type UndoneTrap,
  type UnitState,
  undoLink,
  undoTraps,
  unitMounts,
  withDirectory,
} from '../git/index.ts';
import { createRest, KnownSecrets, type Secret, type WorkspaceScan, WorkspaceScanner } from './workspace-scan.ts';

/** The place of the copies of git settings that commands may write. */
export const SETTINGS_INSIDE = '/run/jinn-git';

/** Whether directories can be held by descriptors. The sandbox of macOS judges paths when they are used, and needs no check. */
const HOLDS = process.platform === 'linux';

/** The most secrets and repositories together: each costs mounts. */
const MAX_PROTECTED = 5_000;

/** The most repositories whose settings commands may write. Those of further ones are read-only. */
const MAX_COPIES = 32;

/** The most changes of a command that its answer names one by one. */
const MAX_NAMED = 50;

type GuardedCommand = Pick<Confinement, 'cwd' | 'lasting' | 'signal'>;

/** What was there before a command, to be compared with what is there afterwards. */
interface Before {
  readonly paths: ReadonlyMap<string, BytePath>;
  readonly states: ReadonlyMap<string, UnitState>;
  /** The links in repositories by their identity. */
  readonly links: ReadonlySet<string | undefined>;
  readonly kept: ReadonlySet<BytePath>;
  readonly copies: Copies | undefined;
  readonly repositories: readonly string[];
  readonly lasting: boolean;
}

export interface GuardedWorkspace {
  readonly mounts: readonly Mount[];
  /** Repositories outside of the workspace in which its worktrees commit. */
  readonly repositories: readonly string[];
  /** The tops of the repositories in it that no command made. */
  readonly projects: readonly string[];
  /** The directory of copies of git settings, to be mounted at `SETTINGS_INSIDE`, or undefined when there is none. */
  readonly settings: string | undefined;
  /** Repositories in which no `commondir` may appear while the command runs: one leads git elsewhere at once. */
  readonly watched: readonly BytePath[];
  readonly check: () => Promise<UndoneTrap[]>;
}

/**
 * Knows what must be protected in one workspace. Without the private `directory`, it keeps nothing for the next
 * process, and makes no copies of settings.
 */
export class WorkspaceGuard {
  readonly #root: BytePath;
  readonly #directory: string | undefined;
  readonly #scanner = new WorkspaceScanner();
  readonly #copies = new SettingsCopies();
  readonly #secrets: KnownSecrets;
  readonly #made: Set<string>;
  #written: string;
  /** The repositories outside of the workspace that it has worktrees of. */
  #outer: readonly BytePath[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(root: string, directory: string | undefined) {
    this.#root = toBytePath(root);
    this.#directory = directory;
    const record = directory === undefined ? undefined : readRecord(`${directory}/record.json`);
    this.#secrets = new KnownSecrets(this.#root, record?.secrets ?? []);
    this.#made = new Set(record?.made);
    this.#written = JSON.stringify(record);
  }

  /** Scans the workspace before a command that starts in `cwd`. `signal` ends the scan with an error. */
  guard(command: GuardedCommand): Promise<GuardedWorkspace> {
    return this.#inTurn(() => this.#guard(command));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #guard({ cwd, lasting, signal }: GuardedCommand): Promise<GuardedWorkspace> {
    let scan = await this.#scanner.scan(this.#root, { signal, outer: this.#outer });
    const inside = findUnits(scan.gits);
    const outside = this.#outside(inside);
    if (outside.join('\n') !== this.#outer.join('\n')) {
      this.#outer = outside.map(toBytePath);
      scan = await this.#scanner.scan(this.#root, { signal, outer: this.#outer });
    }
    const secrets = await this.#findSecrets(scan, signal);
    const repositories = lasting ? [] : outside;
    const units = [...inside, ...findUnits(repositories.map(toBytePath))];
    const foreign = units.filter(({ id }) => !this.#made.has(id));
    refuseCrowd(foreign, secrets);
    const links = new Set(scan.links.map(linkIdentity));
    const copies = lasting || !HOLDS ? undefined : this.#copySettings(foreign, cwd);
    const mounts = foreign.flatMap((unit) => unitMounts(unit, { readOnly: lasting }));
    const paths = new Map(units.map((unit) => [unit.id, unit.path]));
    const made = units.filter(({ id }) => this.#made.has(id));
    const states = new Map(made.map((unit) => [unit.id, stateOf(unit)]));
    const kept = new Set(mounts.map(({ path }) => path));
    this.#save(secrets);
    return {
      mounts: [...unique(mounts, copies), ...secrets.map(({ path, id }) => hide(path, id))],
      repositories,
      projects: foreign.flatMap(({ path }) => (path.endsWith('/.git') ? [byteText(posix.dirname(path))] : [])),
      settings: copies?.directory,
      watched: lasting ? [] : foreign.filter(({ kind }) => kind === 'repository').map(({ path }) => path),
      check: async () => {
        if (!HOLDS) return [];
        return this.#inTurn(() => this.#check({ paths, states, links, kept, copies, repositories, lasting }));
      },
    };
  }

  #outside(units: readonly GitUnit[]): string[] {
    const pointers = units.filter(({ kind, id }) => kind === 'pointer' && !this.#made.has(id));
    const found = pointers.map(({ path }) => repositoryOf(byteText(path))).filter((path) => path !== undefined);
    return [...new Set(found)].filter((path) => !toBytePath(path).startsWith(`${this.#root}/`));
  }

  #findSecrets(scan: WorkspaceScan, signal?: AbortSignal): Promise<Secret[]> {
    return this.#secrets.update(scan.secrets, async () => {
      const { secrets } = await new WorkspaceScanner().scan(this.#root, { everywhere: true, signal });
      return secrets;
    });
  }

  /** Copies settings that git writes in daily work (submodules, upstreams of branches), of the nearest repositories first. */
  #copySettings(units: readonly GitUnit[], cwd: string): Copies | undefined {
    if (this.#directory === undefined) return undefined;
    const repositories = units.filter(({ kind }) => kind === 'repository');
    const near = nearest(repositories, toBytePath(cwd)) ?? '';
    const paths = repositories
      .map(({ path }) => path)
      .sort((a, b) => Number(b.startsWith(near)) - Number(a.startsWith(near)));
    const settings = paths.slice(0, MAX_COPIES).flatMap(readCopyable);
    return settings.length === 0 ? undefined : this.#copies.take(this.#directory, settings);
  }

  #adopt(copies: Copies): UndoneTrap[] {
    try {
      return adoptCopies(copies, this.#root);
    } finally {
      this.#copies.giveBack(copies);
    }
  }

  async #check(before: Before): Promise<UndoneTrap[]> {
    const { copies } = before;
    const undone = copies ? attempt(this.#root, () => this.#adopt(copies)) : [];
    const opened = new Map<BytePath, number>();
    try {
      const scan = await this.#scanner.scan(this.#root, { opened, outer: this.#outer });
      const rest = createRest();
      for (const path of scan.links) {
        await rest();
        if (!before.links.has(linkIdentity(path))) undone.push(...undoLink(path));
      }
      const units = [...findUnits(scan.gits), ...findUnits(before.repositories.map(toBytePath))];
      for (const unit of units) {
        await rest();
        undone.push(...this.#undo(unit, units, before));
      }
      this.#forget(units);
      this.#save(await this.#findSecrets(scan));
    } catch (error) {
      undone.push(failure(this.#root, error instanceof Error ? error.message : String(error)));
    } finally {
      for (const [path, mode] of [...opened].reverse()) setMode(path, mode);
    }
    if (undone.length <= MAX_NAMED) return undone;
    return [...undone.slice(0, MAX_NAMED), { place: byteText(this.#root), what: `${undone.length - MAX_NAMED} more` }];
  }

  #undo(unit: GitUnit, units: readonly GitUnit[], { paths, states, kept, lasting }: Before): UndoneTrap[] {
    const path = this.#made.has(unit.id) ? undefined : paths.get(unit.id);
    if (path !== undefined && (lasting || (unit.kind === 'pointer' && path === unit.path))) return [];
    if (path === undefined) this.#made.add(unit.id);
    // Only the directory of a worktree has a commondir. A jinn that was killed may not have seen it appear.
    const isOdd = (name: string) => name === 'commondir' && unit.kind === 'repository';
    const names = OBEYED.filter((name) => path !== undefined && kept.has(`${path}/${name}`) && !isOdd(name));
    const state = states.get(unit.id) ?? new Map();
    const isNew = path === undefined;
    return undoTraps({ unit, units, root: this.#root, kept: new Set(names), before: state, isNew });
  }

  #forget(units: readonly GitUnit[]): void {
    const now = new Set(units.map(({ id }) => id));
    for (const id of this.#made) if (!now.has(id)) this.#made.delete(id);
  }

  /** Also saved before the command: if jinn is killed meanwhile, the next process knows what may have been moved. */
  #save(secrets: readonly Secret[]): void {
    if (this.#directory === undefined) return;
    const record: WorkspaceRecord = { secrets, made: [...this.#made] };
    const text = JSON.stringify(record);
    if (text === this.#written) return;
    const file = `${this.#directory}/record.json`;
    const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
    fs.writeFileSync(temporary, text, { mode: 0o600 });
    fs.renameSync(temporary, file);
    this.#written = text;
  }
}

function linkIdentity(path: BytePath): string | undefined {
  const stat = statOf(path);
  return stat && `${stat.dev}:${stat.ino}:${stat.ctimeNs}`;
}

/** Repositories that commands made cost no mounts. */
function refuseCrowd(units: readonly GitUnit[], secrets: readonly Secret[]): void {
  if (units.length + secrets.length <= MAX_PROTECTED && !units.some(({ isCrowded }) => isCrowded)) return;
  throw new ToolError(
    'command_blocked',
    `the sandbox cannot protect more than ${MAX_PROTECTED} secrets and repositories, or a repository with 1000 worktrees and submodules`,
    { suggestion: 'ask the user to remove them from the workspace, or to start jinn in a smaller directory' },
  );
}

/** Returns the first mount of each place. That of copied settings becomes a link to the copy. */
function unique(mounts: readonly Mount[], copies: Copies | undefined): Mount[] {
  const numbers = new Map(copies?.settings.map(({ git }, i) => [`${git}/config`, i]));
  const byPath = new Map<BytePath, Mount>();
  for (const mount of mounts) if (!byPath.has(mount.path)) byPath.set(mount.path, mount);
  return [...byPath.values()].map((mount) => {
    const number = numbers.get(mount.path);
    return number === undefined ? mount : { ...mount, kind: 'l', target: `${SETTINGS_INSIDE}/${number}/config` };
  });
}

/** Makes the mount that hides a secret. A secret that is a link is hidden at its target. */
function hide(path: BytePath, id: string): Mount {
  const target = statOf(path)?.isSymbolicLink() ? realPath(byteText(path)) : undefined;
  if (target === undefined) return { kind: 'h', path, id };
  return { kind: 'h', path: toBytePath(target), id: undefined };
}

/** Finds the repository, `.git` or bare, whose top is the nearest one above a directory, or undefined if there is none. */
function nearest(units: readonly GitUnit[], directory: BytePath): BytePath | undefined {
  const tops = units
    .filter(({ kind, between }) => kind === 'repository' && between.length === 0)
    .map(({ path }) => ({ path, top: path.endsWith('/.git') ? posix.dirname(path) : path }));
  const above = tops.filter(({ top }) => directory === top || directory.startsWith(`${top}/`));
  return above.sort((a, b) => b.top.length - a.top.length)[0]?.path;
}

interface WorkspaceRecord {
  readonly secrets: readonly Secret[];
  readonly made: readonly string[];
}

const EMPTY: WorkspaceRecord = { secrets: [], made: [] };

/** A missing or damaged file counts as an empty record. */
function readRecord(file: string): WorkspaceRecord {
  if (!fs.existsSync(file)) return EMPTY;
  try {
    const { secrets, made } = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<WorkspaceRecord>;
    return { secrets: secrets ?? [], made: made ?? [] };
  } catch {
    return EMPTY;
  }
}

interface CopiedSettings {
  readonly git: BytePath;
  readonly id: string;
  readonly text: string;
}

/** Copies of settings that one command may write: each in a directory called by its number. */
export interface Copies {
  readonly directory: string;
  readonly settings: readonly CopiedSettings[];
}

/** The directories of copies that wait for the next command. They are removed when the process ends. */
const waiting = new Set<string>();
let isRemovedAtExit = false;

/**
 * Makes copies of git settings. Copies that a command did not change serve the next one, since making and removing them
 * takes longer than starting it. No two commands have the same at once.
 */
export class SettingsCopies {
  readonly #waiting: Copies[] = [];

  /** Returns copies of these settings, in a directory below `parent`. */
  take(parent: string, settings: readonly CopiedSettings[]): Copies {
    const wanted = JSON.stringify(settings);
    for (let copies = this.#waiting.pop(); copies; copies = this.#waiting.pop()) {
      waiting.delete(copies.directory);
      if (JSON.stringify(copies.settings) === wanted && isUnchanged(copies)) return copies;
      remove(copies.directory);
    }
    return make(parent, settings);
  }

  /** Takes copies back when their command has ended and they were adopted. They are checked before they serve again. */
  giveBack(copies: Copies): void {
    if (!isRemovedAtExit) process.once('exit', () => [...waiting].map(remove));
    isRemovedAtExit = true;
    waiting.add(copies.directory);
    this.#waiting.push(copies);
  }
}

/** Reads the settings of a repository, or none if they cannot be copied line by line. */
export function readCopyable(git: BytePath): CopiedSettings[] {
  const found = withDirectory(git, (directory) => ({ id: directory.id, text: directory.read('config') }));
  if (found?.text === undefined || !isLineByLine(found.text)) return [];
  return [{ git, id: found.id, text: found.text }];
}

/** Writes the changes of a command in its copies to the repositories, as far as the settings are allowed. */
function adoptCopies({ directory, settings }: Copies, root: BytePath): UndoneTrap[] {
  return settings.flatMap(({ git, id, text }, i) => {
    const after = withDirectory(toBytePath(`${directory}/${i}`), (copy) => copy.read('config'));
    return after === undefined ? [] : adoptSettings({ git, id, root, before: text, after });
  });
}

function make(parent: string, settings: readonly CopiedSettings[]): Copies {
  const directory = fs.mkdtempSync(`${fs.realpathSync(parent)}/git-`);
  for (const [i, { text }] of settings.entries()) {
    fs.mkdirSync(`${directory}/${i}`);
    fs.writeFileSync(`${directory}/${i}/config`, text, 'latin1');
  }
  return { directory, settings };
}

function isUnchanged({ directory, settings }: Copies): boolean {
  const unchanged = withDirectory(toBytePath(directory), (top) => {
    const isCopy = (text: string, i: number) =>
      withDirectory(
        toBytePath(`${directory}/${i}`),
        (copy) => copy.read('config') === text && copy.list().length === 1,
      );
    return top.list().length === settings.length && settings.every(({ text }, i) => isCopy(text, i) === true);
  });
  return unchanged === true;
}

function remove(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true });
}
