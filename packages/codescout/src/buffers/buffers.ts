import type { Session, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type OpenFile, versionOf } from '@jinn/workspace';

type BufferKind = 'file' | 'cmd' | 'tool' | 'bg';

/** A reference to a buffer, as agents write it. */
export interface Reference {
  readonly kind: BufferKind;
  /** `cmd_0123abcd`: unique in the workspace. */
  readonly id: string;
  /** True for the standard error of a command, which `.err` at the end asks for. */
  readonly isError: boolean;
}

const REFERENCE = /^@((file|cmd|tool|bg)_[0-9a-f]{8})(\.err)?$/;
const IN_TEXT = /(?<![\w@])@(?:file|cmd|tool|bg)_[0-9a-f]{8}(?:\.err)?(?!\w)/g;

/** Quotes that agents leave around a reference. */
const QUOTES = /^["'`\s]+|["'`\s]+$/g;

/** Quoted text, and characters after a backslash, in which no reference starts. */
const QUOTED = /\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs;

const MAX_BUFFERS = 50;

/** The facts about a buffer. `file` is followed by its path. The others lie in spill files. */
export interface BufferRecord {
  readonly kind: BufferKind;
  /** The path of a `@file_` below the workspace root. */
  readonly path?: string;
  /** The version of the file when it was last read through the buffer. */
  readonly version?: string;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
}

/** A buffer that is open for reading. */
export interface OpenBuffer {
  readonly reference: Reference;
  readonly record: BufferRecord;
  readonly file: OpenFile;
}

/** A command that continues in the background and writes into a buffer. */
export interface RunningJob {
  readonly isRunning: boolean;
  stop(): Promise<void>;
}

/**
 * The buffers of a session. The content is in spill files and the record next to it, so that a process that serves
 * the next call finds both. Memory holds 50 records. A reference is known in only its workspace.
 */
export class Buffers {
  /** The records. The least recently used comes first. */
  readonly #records = new Map<string, BufferRecord>();
  readonly #jobs = new Map<string, RunningJob>();

  add(ctx: ToolContext, record: BufferRecord): string | undefined {
    const id = newId(record.kind);
    if (!this.#put(ctx, id, record)) return undefined;
    for (const [old] of this.#records) {
      if (this.#records.size <= MAX_BUFFERS) break;
      if (!this.#jobs.get(old)?.isRunning) this.#forget(ctx, old);
    }
    return id;
  }

  addFile(ctx: ToolContext, path: string, version: string): string | undefined {
    for (const [id, record] of this.#records) {
      if (record.kind === 'file' && record.path === path) {
        return this.#put(ctx, id, { ...record, version }) ? id : undefined;
      }
    }
    return this.add(ctx, { kind: 'file', path, version });
  }

  update(ctx: ToolContext, id: string, record: BufferRecord): void {
    if (this.#records.has(id)) this.#put(ctx, id, record);
  }

  get isPassive(): boolean {
    return this.running.length === 0;
  }

  get running(): readonly RunningJob[] {
    return [...this.#jobs.values()].filter(({ isRunning }) => isRunning);
  }

  setJob(id: string, job: RunningJob): void {
    this.#jobs.set(id, job);
  }

  jobOf(id: string): RunningJob | undefined {
    return this.#jobs.get(id);
  }

  read<T>(ctx: ToolContext, text: string, use: (buffer: OpenBuffer) => T): T {
    const reference = parseReference(text);
    const record = reference && this.#find(ctx, reference.id);
    if (!reference || !record) throw gone(text);
    if (record.path !== undefined) return readFollowed(ctx, record.path, (file) => use({ reference, record, file }));
    const place = reference.isError ? record.error : record.output;
    if (place === undefined && reference.isError) throw noErrors(text);
    const file = place === undefined ? undefined : ctx.spill.open(place);
    if (!file) throw gone(text);
    try {
      return use({ reference, record, file });
    } finally {
      file.close();
    }
  }

  /** Returns the path that a `@file_` stands for, or undefined for another buffer. Throws `not_found` if it is unknown. */
  pathOf(ctx: ToolContext, text: string): string | undefined {
    const reference = parseReference(text);
    const record = reference && this.#find(ctx, reference.id);
    if (!record) throw gone(text);
    return record.path;
  }

  /** Returns the absolute path of the file that holds a buffer. Throws `not_found` if the reference is unknown or gone. */
  fileOf(ctx: ToolContext, text: string): string {
    return this.read(ctx, text, ({ reference, record }) => {
      if (record.path !== undefined) return `${ctx.workspace.root}/${record.path}`;
      return (reference.isError ? record.error : record.output) as string;
    });
  }

  has(ctx: ToolContext, text: string): boolean {
    const reference = parseReference(text);
    return reference !== undefined && this.#find(ctx, reference.id) !== undefined;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.running.map((job) => job.stop()));
  }

  #find(ctx: ToolContext, id: string): BufferRecord | undefined {
    const known = this.#records.get(id) ?? readRecord(ctx, id);
    if (known === undefined) return undefined;
    this.#records.delete(id);
    this.#records.set(id, known);
    return known;
  }

  #put(ctx: ToolContext, id: string, record: BufferRecord): boolean {
    if (!ctx.spill.records.put(recordName(ctx, id), JSON.stringify(record))) return false;
    this.#records.delete(id);
    this.#records.set(id, record);
    return true;
  }

  #forget(ctx: ToolContext, id: string): void {
    const { output, error } = this.#records.get(id) ?? {};
    for (const path of [output, error]) if (path !== undefined) ctx.spill.remove(path);
    ctx.spill.records.remove(recordName(ctx, id));
    this.#records.delete(id);
    this.#jobs.delete(id);
  }
}

/** Returns the buffers of the session of a call. */
export function buffersOf({ session }: { session: Session }): Buffers {
  return session.use(createBuffers);
}

function createBuffers(): Buffers {
  return new Buffers();
}

function readFollowed<T>({ workspace }: ToolContext, path: string, use: (file: OpenFile) => T): T {
  try {
    return workspace.withFile(`./${path}`, use);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'file_not_found') throw error;
    throw new ToolError('not_found', `the file of this reference is gone: ${path}`, {
      suggestion: 'find it with find_file, and read it by its path',
      cause: error,
    });
  }
}

function readRecord(ctx: ToolContext, id: string): BufferRecord | undefined {
  const text = ctx.spill.records.get(recordName(ctx, id));
  return text === undefined ? undefined : (JSON.parse(text) as BufferRecord);
}

/**
 * Returns the name of the record of a buffer. Security: the name holds the workspace and the directory of the user,
 * so that no reference points to what was read in another workspace or by someone else.
 */
export function recordName({ workspace, spill }: ToolContext, id: string): string {
  return `buffer-${versionOf(Buffer.from(`${workspace.root}\0${spill.directory}`))}-${id}`;
}

/** Makes an id such as `cmd_1a2b3c4d`. Loading node:crypto for it would take longer than all else about a buffer. */
export function newId(kind: string): string {
  const digits = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${kind}_${digits.padStart(8, '0')}`;
}

function gone(text: string): ToolError {
  return new ToolError('not_found', `buffer reference not found: ${text.slice(0, 60)}`, {
    suggestion: 'the last 50 results are kept, for a day at most: run the command or read the file again',
  });
}

function noErrors(text: string): ToolError {
  return new ToolError('not_found', `nothing was written to standard error: ${text.slice(0, 60)}`, {
    suggestion: 'remove .err to read the output',
  });
}

/** Parses a reference. Returns undefined for a text that is not one, or a malformed one. */
export function parseReference(text: string): Reference | undefined {
  const [, id, kind, error] = REFERENCE.exec(text.replace(QUOTES, '')) ?? [];
  return id === undefined ? undefined : { kind: kind as BufferKind, id, isError: error !== undefined };
}

/** Writes a reference as answers show it. */
export function referenceText({ id, isError }: Reference): string {
  return `@${id}${isError ? '.err' : ''}`;
}

/** Finds the references in a command, each once. */
export function referencesIn(command: string): string[] {
  return [...new Set(command.match(IN_TEXT))];
}

/** Finds the references in a command that only stand in quotes: they may be meant as text. */
export function quotedReferencesIn(command: string): string[] {
  const bare = referencesIn(command.replace(QUOTED, (text) => (text.startsWith('\\') ? text : ' ')));
  return referencesIn(command).filter((reference) => !bare.includes(reference));
}

/** Replaces the references in a command. */
export function replaceReferences(command: string, replacement: (reference: string) => string): string {
  return command.replace(IN_TEXT, replacement);
}

/**
 * Throws `invalid_args` if a path is a buffer reference, for a tool that takes no buffers, and `not_found` if the
 * reference is unknown. A file whose name is like a reference can be given as `./@file_…`.
 */
export function rejectReference(ctx: ToolContext, path: string): void {
  if (!parseReference(path)) return;
  const file = buffersOf(ctx).pathOf(ctx, path);
  const reference = path.trim().slice(0, 60);
  throw new ToolError('invalid_args', `${reference} is a buffer reference, not a path`, {
    suggestion:
      file === undefined
        ? 'read it with read_file, search it with search_pattern, or query it with run_command'
        : `pass the path of its file: ${JSON.stringify(file)}`,
  });
}
