import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findPerl } from '@jinn/process';
import { type CommandReading, commandParts, filterStage } from '@jinn/shell/risk';
import { buffersOf } from '../buffers/buffers.ts';
import SCRIPT from '../buffers/keep-stream.pl';
import { parseReference, quotedReferencesIn, referencesIn, replaceReferences } from '../buffers/reference.ts';
import { isQuery } from './buffer-query.ts';

/** The most bytes of all buffers of one command together. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** On one line, so that bash counts the lines of a command from 1. */
const KEEP_STREAM = SCRIPT.replace(/^#.*\n/gm, '')
  .replace(/\s*\n\s*/g, ' ')
  .trim();

/** A command in the form in which it runs. */
export interface PreparedCommand {
  readonly command: string;
  readonly stdin: Buffer | undefined;
  /** A directory of its own below /tmp, which must be removed afterwards; undefined if it has none. */
  readonly directory: string | undefined;
  /** True if it does nothing but query buffers: its answer is then not put into a buffer. */
  readonly isQuery: boolean;
  /** True if it is more than one pipeline, so that what is added at its end belongs to the last one alone. */
  readonly hasParts: boolean;
  /** True if it names buffers, which it may have tried to change. */
  readonly hasCopies: boolean;
  /** True if the stream before its filters is kept in the directory. */
  readonly keepsUnfiltered: boolean;
}

/**
 * Replaces references by files with the content of their buffers, and keeps the stream before filters. A command sees
 * private, read-only files. They are written inside of the sandbox, so that one with a /tmp of its own sees them too.
 * Throws the errors of reading a buffer, and `invalid_args` for a redirection into a buffer.
 */
export function prepareBuffers(
  ctx: ToolContext,
  parsed: CommandReading['parsed'],
  { mayKeep }: { mayKeep: boolean },
): PreparedCommand {
  const { text: command } = parsed;
  const texts = textsIn(ctx, command);
  const references = referencesIn(command).filter((reference) => !texts.includes(reference));
  const parts = references.length > 0 ? commandParts(parsed) : undefined;
  rejectBufferWrites(parts?.written ?? []);
  const isBufferQuery = parts !== undefined && isQuery(parts);
  const contents = readAll(ctx, references);
  const stage = mayKeep && !isBufferQuery ? filterStage(parsed) : undefined;
  const perl = stage === undefined ? undefined : findPerl();
  const keepsUnfiltered = stage !== undefined && perl !== undefined;
  const hasCopies = references.length > 0;
  const kinds = { isQuery: isBufferQuery, hasParts: (parts?.pipelines.length ?? 1) > 1, hasCopies, keepsUnfiltered };
  if (!hasCopies && !keepsUnfiltered) return { command, stdin: undefined, directory: undefined, ...kinds };
  const directory = freshDirectory();
  const kept = keepsUnfiltered
    ? `${command.slice(0, stage)}${perl} -e '${KEEP_STREAM}' ${directory}/unfiltered ${MAX_KEPT_BYTES} | ${command.slice(stage)}`
    : command;
  const inside = replaceReferences(kept, (name) => (texts.includes(name) ? name : `${copiesIn(directory)}/${name}`));
  const copies = references.map((name, index) => copy(`${copiesIn(directory)}/${name}`, contents[index]?.length ?? 0));
  return {
    // On one line, so that bash counts the lines of the command from 1.
    command: hasCopies
      ? `mkdir -m 700 ${directory} ${copiesIn(directory)} || exit 125;${copies.join('')}${close(directory)}exec </dev/null;${inside}`
      : `mkdir -m 700 ${directory} 2>/dev/null;${inside}`,
    stdin: hasCopies ? Buffer.concat(contents) : undefined,
    directory,
    ...kinds,
  };
}

/** Returns the texts that only look like references: they stand in quotes alone, and no buffer has them. */
function textsIn(ctx: ToolContext, command: string): string[] {
  const texts = quotedReferencesIn(command).filter((reference) => !buffersOf(ctx).has(ctx, reference));
  if (texts.length > 0) ctx.warn(`there is no buffer ${texts.join(', ')}: it was taken as text`);
  return texts;
}

function readAll(ctx: ToolContext, references: readonly string[]): Buffer[] {
  let room = MAX_COPIED_BYTES;
  return references.map((reference) =>
    buffersOf(ctx).read(ctx, reference, ({ file }) => {
      room -= file.size;
      if (room < 0) throw tooLarge();
      return file.slice(0, file.size);
    }),
  );
}

/** Throws `invalid_args` if one of the files that redirections write is a buffer. */
function rejectBufferWrites(written: readonly string[]): void {
  const reference = written.find((file) => parseReference(file));
  if (reference === undefined) return;
  throw new ToolError('invalid_args', `a command cannot write to a buffer: ${reference}`, {
    suggestion: 'write to a file of the project; nothing was run',
  });
}

function copiesIn(directory: string): string {
  return `${directory}/b`;
}

/**
 * Closes the directory of the copies. Root outside of a sandbox can still write there; the old time of change of the
 * copies shows that later.
 */
function close(directory: string): string {
  const copies = copiesIn(directory);
  return `touch -t 197001020000 ${copies}/*;touch -t 197001030000 ${directory}/old;chmod 500 ${copies};`;
}

/**
 * Returns the command that fills a copy from standard input. dd reads exactly the bytes that it is told to, so that the
 * next copy begins after them.
 */
function copy(path: string, bytes: number): string {
  const fill = bytes === 0 ? `: >${path}` : `dd bs=${bytes} count=1 of=${path} 2>/dev/null`;
  return `${fill};chmod 400 ${path};`;
}

/**
 * Returns the command that removes the directory. Before, it writes the kept stream to standard output, and the paths
 * of changed copies to standard error. Its exit status is 0 if the kept stream is the whole one.
 */
export function cleanupOf({ directory, hasCopies, keepsUnfiltered }: PreparedCommand): string {
  if (directory === undefined) throw new Error('a command without a directory leaves nothing behind');
  const copies = copiesIn(directory);
  const changed = hasCopies ? `find ${copies} -type f -newer ${directory}/old >&2;chmod 700 ${copies};` : '';
  const kept = keepsUnfiltered ? `cat ${directory}/unfiltered* 2>/dev/null;test -e ${directory}/unfiltered.all;` : '';
  return `${changed}${kept}whole=$?;rm -rf ${directory};exit $whole`;
}

/** Returns the references of the copies that the cleanup names as changed. */
export function changedBuffers(output: string, { directory, hasCopies }: PreparedCommand): string[] {
  if (!hasCopies || directory === undefined) return [];
  const names = output.split('\n').map((line) => line.slice(`${copiesIn(directory)}/`.length));
  return names.filter((name) => parseReference(name));
}

/** Replaces the names of files by the references that they stand for. */
export function withReferences(text: string, { directory }: PreparedCommand): string {
  return directory === undefined ? text : text.replaceAll(`${copiesIn(directory)}/`, '');
}

/** Returns the path for a new directory. Nobody can guess the name, so nobody can make it before. */
function freshDirectory(): string {
  return `/tmp/jinn-${process.getBuiltinModule('node:crypto').randomBytes(12).toString('hex')}`;
}

function tooLarge(): ToolError {
  return new ToolError('file_too_large', 'the buffers of this command hold more than 64 MiB together', {
    suggestion: 'query one after another, or use search_pattern or read_file on the reference',
  });
}
