import { nearestName, ToolError } from '@jinn/errors';
import { versionOf } from '../content-version.ts';
import { type Current, readCurrent, rejectTooLarge, Target } from '../target.ts';
import type { ComputedChanges, FileChange, FileState, Mutation } from './mutate.ts';
import type { MutationContext } from './mutation-context.ts';
import { type StaleFile, toStaleError } from './stale-file.ts';

/** What the files of one call may hold together, before the change and after it: all of them are in memory at once. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;
const MAX_NAMED = 5;

/** The files of a call, held open, and for each target of the call the path of the file that it names. */
export interface OpenTargets {
  readonly targets: ReadonlyMap<string, Target>;
  readonly paths: readonly string[];
}

type TargetOptions = Pick<Mutation<unknown>, 'targets' | 'ifVersions' | 'takesStale'>;

/** Opens the files of a call for as long as the promise of `use` is pending. */
export async function withTargets<T>(
  { workspace }: MutationContext,
  { targets: asked }: TargetOptions,
  use: (open: OpenTargets) => Promise<T>,
): Promise<T> {
  const targets = new Map<string, Target>();
  try {
    const paths = asked.map(({ path }) => {
      const target = new Target(workspace.findTarget(path), path);
      if (targets.has(target.path)) target.close();
      else targets.set(target.path, target);
      if (workspace.heldFolders.has(`${workspace.root}/${target.path}`)) throw inUse(path);
      return target.path;
    });
    return await use({ targets, paths });
  } finally {
    for (const target of targets.values()) target.close();
  }
}

function inUse(asked: string): ToolError {
  return new ToolError('conflict', `nothing was changed: ${asked} belongs to a custom tool that is running`, {
    suggestion: 'try again when the call of the tool has ended',
  });
}

interface OpenedFile {
  readonly target: Target;
  readonly current: Current | undefined;
  readonly state: FileState;
}

/** A change that passed every check that can be made before the disk is touched. */
export interface CheckedChange extends OpenedFile {
  /** Undefined removes the file. */
  readonly content: Buffer | undefined;
  readonly mode: number | undefined;
  /** How many of the directories above a removed file are removed too, as long as they are empty. */
  readonly emptyDirectories: number;
  readonly changed: boolean;
}

/** Reads the files of a call, refuses what is stale or too large, and computes what is to be written. */
export async function planChanges<Found>(
  ctx: MutationContext,
  mutation: Mutation<Found>,
  open: OpenTargets,
): Promise<{ planned: CheckedChange[]; found: Found }> {
  rejectTooMuch(open);
  const files = readFiles(open);
  await rejectChanged(ctx, mutation, open, files);
  const states = open.paths.map((path) => (files.get(path) as OpenedFile).state);
  const { changes, found }: ComputedChanges<Found> = await mutation.compute(states);
  rejectTooMuchAfter(changes);
  const seen = new Set<FileState>();
  const planned = changes.map((change) => {
    const file = files.get(change.file.path);
    if (file?.state !== change.file || seen.has(change.file)) throw new Error('a change of no target, or a second one');
    seen.add(change.file);
    return planChange(file, change);
  });
  return { planned, found };
}

/** Checks the sizes before anything is read. */
function rejectTooMuch({ targets }: OpenTargets): void {
  let total = 0;
  for (const { asked, size } of targets.values()) {
    rejectTooLarge(asked, size);
    total += size;
  }
  if (total > MAX_CALL_BYTES) throw tooMuch('the files of this call hold');
}

function rejectTooMuchAfter(changes: readonly FileChange[]): void {
  for (const { file, content } of changes) rejectTooLarge(file.asked, content?.length ?? 0);
  const total = changes.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (total > MAX_CALL_BYTES) throw tooMuch('after this call, its files would hold');
}

function readFiles(open: OpenTargets): Map<string, OpenedFile> {
  const files = new Map<string, OpenedFile>();
  for (const [path, target] of open.targets) {
    const current = readCurrent(target);
    files.set(path, { target, current, state: toState(target, current) });
  }
  return files;
}

/** Refuses files that do not have the version asked for, or have changed since the session read them: all at once. */
async function rejectChanged(
  ctx: MutationContext,
  mutation: TargetOptions,
  open: OpenTargets,
  files: ReadonlyMap<string, OpenedFile>,
): Promise<void> {
  const { reads } = ctx.session;
  const stale = new Map<string, StaleFile>();
  for (const { asked, path, ifVersion } of wantedVersions(ctx, mutation, open, files)) {
    const { target, current, state } = files.get(path) as OpenedFile;
    if (ifVersion === undefined || ifVersion === state.version) continue;
    stale.set(path, { target, asked, content: current?.content, ifVersion });
  }
  for (const [path, { target, current }] of files) {
    if (mutation.takesStale || !current || stale.has(path) || !reads.isStale({ path, stat: current.stat })) continue;
    stale.set(path, { target, asked: target.asked, content: current.content, ifVersion: undefined });
  }
  if (stale.size === 0) return;
  const { error, shown } = await toStaleError(ctx, [...stale.values()]);
  for (const { target } of shown) {
    const current = files.get(target.path)?.current;
    if (current) reads.record({ path: target.path, stat: current.stat, content: current.content });
  }
  throw error;
}

function wantedVersions(
  ctx: MutationContext,
  { targets, ifVersions = {} }: TargetOptions,
  { paths }: OpenTargets,
  files: ReadonlyMap<string, OpenedFile>,
) {
  const wanted = targets.map(({ path, ifVersion }, i) => ({ asked: path, path: paths[i] as string, ifVersion }));
  for (const [asked, ifVersion] of Object.entries(ifVersions)) {
    const path = resolve(ctx, asked);
    if (!files.has(path)) throw noTarget(asked, [...files.keys()]);
    wanted.push({ asked, path, ifVersion });
  }
  return wanted;
}

/** Returns the path below the root of the file that a caller's path names. */
function resolve({ workspace }: MutationContext, asked: string): string {
  const target = new Target(workspace.findTarget(asked), asked);
  target.close();
  return target.path;
}

function planChange(file: OpenedFile, { content, mode, emptyDirectories = 0 }: FileChange): CheckedChange {
  const { target, current } = file;
  const sameMode = mode === undefined || mode === current?.mode;
  const same = content && current ? content.equals(current.content) && sameMode : content === current?.content;
  if (!same) target.rejectReadOnly();
  return { ...file, content, mode, emptyDirectories, changed: !same };
}

function toState({ asked, path }: Target, current: Current | undefined): FileState {
  const { content, mode } = current ?? {};
  return { asked, path, content, mode, version: content && versionOf(content) };
}

function tooMuch(what: string): ToolError {
  return new ToolError('resource_limit', `${what} more than 64 MB together`, {
    suggestion: 'change fewer files in a call; nothing was changed',
  });
}

function noTarget(asked: string, paths: readonly string[]): ToolError {
  const nearest = nearestName(asked, paths);
  const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
  return new ToolError('invalid_args', `if_versions: ${asked} is no file of this call; nothing was changed`, {
    suggestion: nearest === undefined ? `the files of this call are ${named}` : `did you mean ${nearest}?`,
  });
}
