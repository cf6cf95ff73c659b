import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type CommandParts, type CommandReading, commandParts } from '@jinn/shell/risk';
import { buffersOf, parseReference, quotedReferencesIn, referencesIn, replaceReferences } from '../buffers/buffers.ts';

/** Programs that only show what they read. Running them again costs nothing. */
const READERS = new Set(
  'awk base64 cat cmp column comm cut diff egrep expand fgrep file fmt fold gawk grep head hexdump join jq less mawk more nl od paste rev rg sed sha256sum md5sum sort stat strings tac tail tr uniq wc xxd'.split(
    ' ',
  ),
);

/** Builtins that write at most what is in the command itself. The empty name is that of assignments. */
const PLAIN = new Set(['', ':', '[', 'cd', 'echo', 'false', 'printf', 'read', 'set', 'test', 'true']);

/** The first descriptor by which a command reads a buffer. Those below are of bash and of scripts. */
const FIRST_DESCRIPTOR = 50;
const MAX_BUFFERS = 40;

/** A command in the form in which it runs. */
export interface PreparedCommand {
  readonly command: string;
  /** The references that the command reads. The first has the descriptor 50. */
  readonly references: readonly string[];
  /** True if it does nothing but query buffers: its answer is then not put into a buffer. */
  readonly isQuery: boolean;
  /** True if it is more than one pipeline, so that what is added at its end belongs to the last one alone. */
  readonly hasParts: boolean;
}

/**
 * Replaces references by descriptors of the files that hold their buffers, which are open for reading only. A path could
 * not stand in their place: it may need quotes, and the reference may be in quotes already. Throws the errors of
 * finding a buffer, and `invalid_args` for a redirection into a buffer.
 */
export function prepareBuffers(ctx: ToolContext, parsed: CommandReading['parsed']): PreparedCommand {
  const { text: command } = parsed;
  const texts = textsIn(ctx, command);
  const references = referencesIn(command).filter((reference) => !texts.includes(reference));
  if (references.length === 0) return { command, references, isQuery: false, hasParts: false };
  if (references.length > MAX_BUFFERS) throw tooMany();
  const parts = commandParts(parsed);
  rejectBufferWrites(parts?.written ?? []);
  const files = references.map((reference) => buffersOf(ctx).fileOf(ctx, reference));
  const opened = files.map((file, i) => `exec ${FIRST_DESCRIPTOR + i}<${quote(file)} || exit 125;`);
  const inside = replaceReferences(command, (name) =>
    texts.includes(name) ? name : placeOf(references.indexOf(name)),
  );
  // On one line, so that bash counts the lines of the command from 1.
  return {
    command: `${opened.join('')}${inside}`,
    references,
    isQuery: parts !== undefined && isQuery(parts),
    hasParts: (parts?.pipelines.length ?? 1) > 1,
  };
}

/** Replaces the places of buffers in an output by the references that they stand for. */
export function withReferences(text: string, { references }: PreparedCommand): string {
  return references.reduceRight((shown, reference, i) => shown.replaceAll(placeOf(i), reference), text);
}

function placeOf(index: number): string {
  return `/dev/fd/${FIRST_DESCRIPTOR + index}`;
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function textsIn(ctx: ToolContext, command: string): string[] {
  const texts = quotedReferencesIn(command).filter((reference) => !buffersOf(ctx).has(ctx, reference));
  if (texts.length > 0) ctx.warn(`there is no buffer ${texts.join(', ')}: it was taken as text`);
  return texts;
}

function rejectBufferWrites(written: readonly string[]): void {
  const reference = written.find((file) => parseReference(file));
  if (reference === undefined) return;
  throw new ToolError('invalid_args', `a command cannot write to a buffer: ${reference}`, {
    suggestion: 'write to a file of the project (nothing was run)',
  });
}

function tooMany(): ToolError {
  return new ToolError('invalid_args', `a command can read ${MAX_BUFFERS} buffers`, {
    suggestion: 'query some of them first',
  });
}

/** Reports whether a command only shows what it reads of buffers. Such an answer need not be kept. */
function isQuery({ pipelines, programs }: CommandParts): boolean {
  const isPlain = (name: string | undefined) => name !== undefined && PLAIN.has(name);
  const isShown = (name: string | undefined) => isPlain(name) || (name !== undefined && READERS.has(name));
  const readsBuffer = (text: string) => referencesIn(text).length > 0;
  return (
    programs.every(isShown) && pipelines.every(({ text, programs }) => readsBuffer(text) || programs.every(isPlain))
  );
}
