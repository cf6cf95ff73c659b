import { isUtf8 } from 'node:buffer';
import { lazy, type Memory, type MemoryEntry, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { readConfig } from '@jinn/core/read-config';
import { isObject } from '@jinn/core/text';
import type { UserFiles, Workspace } from '@jinn/workspace';
import type { LeftOut, WalkEntry, walk as walkWorkspace } from '@jinn/workspace/walk';

/** The scope of the texts in shared directories, which no tool writes. */
export const SHARED = 'shared';
const SETTING = 'memory.shared';
const MAX_FILES = 500;
const FILE = /^(.*)\.(?:md|txt)$/;
export const KEY = /^[a-zA-Z0-9_.-]{1,128}$/;
export const MAX_TEXT_BYTES = 16 * 1024;

/** Adds the scope "shared" to a memory for one call: the texts in the directories of `memory.shared` in config.json. */
export function withShared(memory: Memory, { user, checkpoint }: Pick<ToolContext, 'user' | 'checkpoint'>): Memory {
  let warnings: () => readonly string[] = () => [];
  const texts = lazy(async () => {
    const found = new Map<string, MemoryEntry>();
    const setting = readSetting(user);
    if (setting === undefined) return found;
    const { LeftOut, walk } = await import('@jinn/workspace/walk');
    const leftOut = new LeftOut();
    warnings = () => leftOut.lines();
    for (const path of directoriesIn(setting, leftOut)) {
      await visit(path, { user, checkpoint, leftOut, walk }, (entry) => addEntry(entry, found, leftOut));
    }
    return found;
  });
  const recallAll = async (keys: readonly string[]) => {
    const found = await texts();
    return keys.flatMap((key) => found.get(key) ?? []);
  };
  const list = async (query: string | undefined) => {
    const found = await texts();
    return query?.trim() ? memory.search([...found.values()], query) : [...found.keys()].sort();
  };
  return {
    ...memory,
    findScope: (given) => {
      // It warns of faulty settings.
      const scope = memory.findScope(given === SHARED ? undefined : given);
      return given === SHARED ? SHARED : scope;
    },
    recall: async (scope, key) => (scope === SHARED ? (await recallAll([key]))[0] : memory.recall(scope, key)),
    recallAll: (scope, keys) => (scope === SHARED ? recallAll(keys) : memory.recallAll(scope, keys)),
    list: (scope, query) => (scope === SHARED ? list(query) : memory.list(scope, query)),
    scopes: async () => {
      const dates = [...(await texts()).values()].map(({ updated }) => updated).sort();
      const updated = dates.at(-1);
      const own = await memory.scopes();
      return updated === undefined ? own : [...own, { scope: SHARED, count: dates.length, updated }];
    },
    takeWarnings: () => [...memory.takeWarnings(), ...warnings()],
  };
}

function readSetting(user: UserFiles): unknown {
  try {
    const { memory } = readConfig(user.state);
    return isObject(memory) ? (memory[SHARED] ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

function directoriesIn(paths: unknown, leftOut: LeftOut): readonly string[] {
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string')) return paths;
  leftOut.add('config.json has no list of directories', SETTING);
  return [];
}

interface Visit extends Pick<ToolContext, 'user' | 'checkpoint'> {
  readonly leftOut: LeftOut;
  readonly walk: typeof walkWorkspace;
}

async function visit(path: string, { user, checkpoint, leftOut, walk }: Visit, add: (entry: WalkEntry) => void) {
  let root: Workspace | undefined;
  try {
    root = user.openRoot(path.startsWith('~/') ? `${user.home ?? ''}${path.slice(1)}` : path);
    if (!root) throw new ToolError('file_not_found', 'no such directory');
    await walk(root, '.', { maxDepth: 1, checkpoint }, (entry) => void add(entry));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    leftOut.add(`${SETTING}: ${error.code.replaceAll('_', ' ')}`, path);
  } finally {
    root?.close();
  }
}

/** The first file of a key counts: a `.md` before a `.txt`. */
function addEntry(entry: WalkEntry, found: Map<string, MemoryEntry>, leftOut: LeftOut): void {
  const key = entry.kind === 'file' ? FILE.exec(entry.name)?.[1] : undefined;
  if (key === undefined || found.has(key)) return;
  const text = readText(entry, key, found.size);
  if (typeof text === 'string') leftOut.add(`${text}, not read`, entry.name);
  else found.set(key, { key, ...text, pinned: false, expires: undefined });
}

/** Returns why there is no text, if there is none. */
function readText(entry: WalkEntry, key: string, count: number): Pick<MemoryEntry, 'value' | 'updated'> | string {
  if (!KEY.test(key)) return 'no key (a-z A-Z 0-9 _ . -)';
  if (count === MAX_FILES) return `over the limit of ${MAX_FILES} files`;
  try {
    const file = entry.open();
    try {
      if (file.size > MAX_TEXT_BYTES) return 'too large (over 16 KiB)';
      const content = file.slice(0, file.size);
      if (!isUtf8(content)) return 'not UTF-8';
      const modified = new Date(Number(file.stat.mtimeNs / 1_000_000n));
      return { value: content.toString(), updated: modified.toISOString().replace(/\.\d+Z$/, 'Z') };
    } finally {
      file.close();
    }
  } catch {
    return 'unreadable';
  }
}
