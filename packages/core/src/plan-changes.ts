import { versionOf } from './content-version.ts';
import { ToolError } from './errors.ts';
import type { Computed, FileChange, FileState, Mutation } from './mutate.ts';
import { nearestName } from './nearest.ts';
import { type Current, changedMeanwhile, readCurrent, refuseTooLarge, Target } from './target.ts';
import type { ToolContext } from './tool.ts';

/** What the files of one call may hold together, before the change and after it: all of them are in memory at once. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;
const MAX_NAMED = 5;

/** The files of a call, held open, and for each target of the call the path of the file that it names. */
export interface OpenTargets {
  readonly targets: ReadonlyMap<string, Target>;
  readonly paths: readonly string[];
}

type Aims = Pick<Mutation<unknown>, 'targets' | 'ifVersions' | 'takesStale'>;

/** Opens the files of a call for as long as the promise of `use` is pending. */
export async function withTargets<T>(
  { workspace }: ToolContext,
  { targets: asked }: Aims,
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
export interface Planned extends OpenedFile {
  /** Undefined removes the file. */
  readonly content: Buffer | undefined;
  readonly mode: number | undefined;
  /** How many of the directories above a removed file are removed too, as long as they are empty. */
  readonly emptyDirectories: number;
  readonly changed: boolean;
}

/** Reads the files of a call, refuses what is stale or too large, and computes what is to be written. */
export async function planChanges<Found>(
  ctx: ToolContext,
  mutation: Mutation<Found>,
  open: OpenTargets,
): Promise<{ planned: Planned[]; found: Found }> {
  refuseTooMuch(open);
  const files = readFiles(ctx, mutation, open);
  refuseOtherVersions(ctx, mutation, open, files);
  const states = open.paths.map((path) => (files.get(path) as OpenedFile).state);
  const { changes, found }: Computed<Found> = await mutation.compute(states);
  refuseTooMuchAfter(changes);
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
function refuseTooMuch({ targets }: OpenTargets): void {
  let total = 0;
  for (const { asked, size } of targets.values()) {
    refuseTooLarge(asked, size);
    total += size;
  }
  if (total > MAX_CALL_BYTES) throw tooMuch('the files of this call hold');
}

function refuseTooMuchAfter(changes: readonly FileChange[]): void {
  for (const { file, content } of changes) refuseTooLarge(file.asked, content?.length ?? 0);
  const total = changes.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (total > MAX_CALL_BYTES) throw tooMuch('after this call, its files would hold');
}

function readFiles(ctx: ToolContext, { takesStale }: Aims, open: OpenTargets): Map<string, OpenedFile> {
  const files = new Map<string, OpenedFile>();
  for (const [path, target] of open.targets) {
    const current = readCurrent(target);
    files.set(path, { target, current, state: toState(target, current) });
    if (takesStale || !current) continue;
    if (ctx.session.reads.isStale({ path, stat: current.stat })) throw changedMeanwhile(target.asked);
  }
  return files;
}

function refuseOtherVersions(
  ctx: ToolContext,
  { targets, ifVersions = {} }: Aims,
  { paths }: OpenTargets,
  files: ReadonlyMap<string, OpenedFile>,
): void {
  const wanted = targets.map(({ path, ifVersion }, i) => ({ asked: path, path: paths[i] as string, ifVersion }));
  for (const [asked, ifVersion] of Object.entries(ifVersions)) {
    const path = resolve(ctx, asked);
    if (!files.has(path)) throw noTarget(asked, [...files.keys()]);
    wanted.push({ asked, path, ifVersion });
  }
  for (const { asked, path, ifVersion } of wanted) {
    const version = files.get(path)?.state.version;
    if (ifVersion !== undefined && ifVersion !== version) throw otherVersion(asked, ifVersion, version);
  }
}

/** The path below the root of the file that a caller's path names. */
function resolve({ workspace }: ToolContext, asked: string): string {
  const target = new Target(workspace.findTarget(asked), asked);
  target.close();
  return target.path;
}

function planChange(file: OpenedFile, { content, mode, emptyDirectories = 0 }: FileChange): Planned {
  const { target, current } = file;
  const sameMode = mode === undefined || mode === current?.mode;
  const same = content && current ? content.equals(current.content) && sameMode : content === current?.content;
  if (!same) target.refuseReadOnly();
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

function otherVersion(asked: string, ifVersion: string, version: string | undefined): ToolError {
  const now = version === undefined ? 'there is no such file' : `the file has version ${version} now`;
  return new ToolError('stale_file', `if_version ${ifVersion.slice(0, 60)} does not match: ${asked}: ${now}`, {
    suggestion: 'read the file again, and make the change on what it holds now',
  });
}

function noTarget(asked: string, paths: readonly string[]): ToolError {
  const nearest = nearestName(asked, paths);
  const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
  return new ToolError('invalid_args', `if_versions: ${asked} is no file of this call; nothing was changed`, {
    suggestion: nearest === undefined ? `the files of this call are ${named}` : `did you mean ${nearest}?`,
  });
}
