import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import type { Workspace } from '@jinn/workspace';
import type { MentionedWord } from '../answers/language-question.ts';
import type { LanguageServers } from '../language-servers.ts';
import { mayShareNames } from '../servers/find-server.ts';
import type { LspSettings } from '../servers/lsp-settings.ts';
import { listUnignored, turn, type WatchedFiles } from './file-watch.ts';

/** A larger file is skipped: no server is shown it. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** How many files are searched between two turns of the event loop. */
const SLICE = 100;
/** The share of a call's time that may be spent on finding files. */
const SHARE_FOR_FINDING = 0.3;
const MAX_DEPENDENTS = 10;
/** Files with these names are known by the name of their directory. */
const OF_DIRECTORY = /^(index|mod|__init__)$/;

interface KeptContent {
  readonly stat: string;
  readonly content: Buffer;
}

/** Finds the files that hold a word. Their content is kept for the session, while the file stays the same. */
export class Mentions {
  readonly #workspace: Workspace;
  readonly #watched: WatchedFiles;
  readonly #kept = new Map<string, KeptContent>();
  #keptBytes = 0;

  constructor(workspace: Workspace, watched: WatchedFiles) {
    this.#workspace = workspace;
    this.#watched = watched;
  }

  /** Returns the files among `paths` that hold a word. `isWhole` is false if it stopped before all were searched. */
  async find(
    word: string,
    paths: Iterable<string>,
    limit: { readonly limitMs: number; readonly most?: number; checkpoint(): Promise<void> },
  ): Promise<{ readonly paths: readonly string[]; readonly isWhole: boolean }> {
    const { limitMs, most = Number.POSITIVE_INFINITY, checkpoint } = limit;
    const end = performance.now() + limitMs;
    const found: string[] = [];
    let looked = 0;
    for (const path of paths) {
      if (looked++ % SLICE === 0) await checkpoint();
      if (performance.now() > end || found.length >= most) return { paths: found, isWhole: false };
      const content = this.#read(path);
      if (content && !wordsAt(content, word).next().done) found.push(path);
    }
    return { paths: found, isWhole: true };
  }

  #read(path: string): Buffer | undefined {
    const kept = this.#kept.get(path);
    if (kept && this.#watched.statOf(path) === kept.stat) return kept.content;
    if (kept) this.#forget(path, kept);
    try {
      return this.#workspace.withFile(path, (file) => {
        if (file.size > MAX_FILE_BYTES) return undefined;
        const content = Buffer.from(file.slice(0, file.size));
        this.#keep(path, content);
        return content;
      });
    } catch {
      return undefined; // It has gone, or may not be read.
    }
  }

  #keep(path: string, content: Buffer): void {
    const stat = this.#watched.statOf(path); // Undefined for a file that may change without notice.
    if (stat === undefined || this.#keptBytes + content.length > MAX_KEPT_BYTES) return;
    this.#kept.set(path, { stat, content });
    this.#keptBytes += content.length;
  }

  #forget(path: string, { content }: KeptContent): void {
    this.#kept.delete(path);
    this.#keptBytes -= content.length;
  }
}

/** Finds the bytes where a word is that is not part of a longer one. */
export function* wordsAt(content: Buffer, word: string): Generator<number, undefined> {
  const bytes = Buffer.from(word);
  if (word === '') return;
  for (let at = content.indexOf(bytes); at >= 0; at = content.indexOf(bytes, at + 1)) {
    if (!isWordByte(content[at - 1]) && !isWordByte(content[at + bytes.length])) yield at;
  }
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const lower = byte | 0x20;
  // Bytes of characters beyond ASCII may be letters.
  return isDigit || (lower >= 0x61 && lower <= 0x7a) || byte === 0x5f || byte === 0x24 || byte >= 0x80;
}

interface MentionScope {
  readonly ctx: ToolContext;
  readonly limitMs: number;
  readonly opened: {
    readonly watched: WatchedFiles;
    readonly mentions: Mentions;
    readonly servers: LanguageServers;
    readonly settings: LspSettings;
  };
}

/** Finds the other files that mention a word and may mean what this file does, or undefined for the empty word. */
export async function findMentions(
  file: string,
  word: string,
  { ctx, opened, limitMs }: MentionScope,
): Promise<MentionedWord | undefined> {
  if (word === '') return undefined;
  const { watched, mentions, servers, settings } = opened;
  if (watched.paths) await servers.synchronize(); // The known facts about the files must be up to date.
  const shares = mayShareNames(settings.table, file);
  const isBare = (name: string) => path.posix.extname(name) === '';
  const sources = [...(watched.paths ?? (await listUnignored(ctx.workspace, ctx.checkpoint)))].filter(
    (name) => shares(name) || isBare(name),
  );
  const limit = { limitMs: limitMs * SHARE_FOR_FINDING, checkpoint: ctx.checkpoint };
  const { paths, isWhole } = await mentions.find(word, sources, limit);
  const bare = paths.filter((found) => !shares(found));
  const scripts = bare.length > 0 ? await findScripts(ctx.workspace, file, bare) : [];
  const files = paths.filter((found) => found !== file && (shares(found) || scripts.includes(found)));
  return { word, files, lacks: isWhole ? undefined : `there was no time to look for ${word} in all files` };
}

/** Returns the files among those without an extension that are scripts in the language of `file`, by their first lines. */
async function findScripts(workspace: Workspace, file: string, bare: readonly string[]): Promise<string[]> {
  const { isScriptLike } = await import('../symbols/find/scope.ts'); // The languages are loaded only for these.
  return bare.filter((name) => {
    try {
      return workspace.withFile(name, (opened) =>
        isScriptLike(file, name, opened.slice(0, Math.min(opened.size, 128))),
      );
    } catch {
      return false; // It has gone.
    }
  });
}

/**
 * Finds files that mention the names of changed files, as imports do, at most ten. It finds nothing if the files of the
 * workspace are not known, and does not list them.
 */
export async function findDependents(
  changed: readonly string[],
  { watched, mentions }: { readonly watched: WatchedFiles; readonly mentions: Mentions },
  { limitMs, isServed }: { readonly limitMs: number; isServed(path: string): boolean },
): Promise<string[]> {
  const others = [...(watched.paths ?? [])].filter((file) => !changed.includes(file) && isServed(file));
  const end = performance.now() + limitMs;
  const found = new Set<string>();
  for (const name of new Set(changed.map(importedName))) {
    const most = MAX_DEPENDENTS - found.size;
    const left = end - performance.now();
    if (most <= 0 || left <= 0) break;
    const { paths } = await mentions.find(name, others, { limitMs: left, most, checkpoint: turn });
    for (const file of paths) found.add(file);
  }
  return [...found];
}

/** Returns the word by which others import a file: its name without extensions, or that of its directory. */
export function importedName(file: string): string {
  const name = path.posix.basename(file).replace(/(\.d)?\.[^.]+$/, '');
  const directory = path.posix.basename(path.posix.dirname(file));
  const isPackage = OF_DIRECTORY.test(name) || file.endsWith('.go');
  return isPackage && directory !== '.' ? directory : name;
}
