import { filterStage } from '@jinn/bash';
import { type ToolContext, ToolError } from '@jinn/core';
import { findPerl } from '@jinn/process';
import { buffersOf } from './buffers.ts';
import { referencesIn, replaceReferences } from './reference.ts';

/** The buffers of one command together. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Copies standard input to standard output and its first 16 MiB to a file. Unlike tee it cannot fill the disk, and like tee it ends
 * with its reader, so that `yes | head` ends.
 */
const KEEP = `open F,">",shift;$n=${MAX_KEPT_BYTES};while(sysread STDIN,$b,65536){if($n>0){syswrite F,$b,$n<length$b?$n:length$b;$n-=length$b}for($o=0;$o<length$b;$o+=$w){$w=syswrite STDOUT,$b,length($b)-$o,$o;exit 1 unless defined $w}}`;

/** A command as it is run. */
export interface PreparedCommand {
  readonly command: string;
  readonly stdin: Buffer | undefined;
  /** A directory of its own below /tmp, which must be removed afterwards; undefined if it has none. */
  readonly directory: string | undefined;
  /** True if it names buffers: what it answers is then not put into a buffer. */
  readonly isQuery: boolean;
  /** True if the stream before its filters is kept in the file `unfiltered` of the directory. */
  readonly keepsUnfiltered: boolean;
}

/**
 * Puts the content of buffers in the place of references. A command sees private, read-only files; these are written inside,
 * so that a sandbox with a /tmp of its own sees them too. Throws what reading a buffer throws.
 */
export function prepareBuffers(ctx: ToolContext, command: string, { mayKeep }: { mayKeep: boolean }): PreparedCommand {
  const references = referencesIn(command);
  if (references.length > 0) return withCopies(ctx, command, references);
  const stage = mayKeep ? filterStage(command) : undefined;
  const perl = stage === undefined ? undefined : findPerl();
  if (stage === undefined || perl === undefined) {
    return { command, stdin: undefined, directory: undefined, isQuery: false, keepsUnfiltered: false };
  }
  const directory = freshDirectory();
  const keep = `${perl} -e '${KEEP}' ${directory}/unfiltered`;
  return {
    command: `mkdir -m 700 ${directory} 2>/dev/null;${command.slice(0, stage)}${keep} | ${command.slice(stage)}`,
    stdin: undefined,
    directory,
    isQuery: false,
    keepsUnfiltered: true,
  };
}

function withCopies(ctx: ToolContext, command: string, references: readonly string[]): PreparedCommand {
  const buffers = buffersOf(ctx);
  const directory = freshDirectory();
  let room = MAX_COPIED_BYTES;
  const contents = references.map((reference) =>
    buffers.read(ctx, reference, ({ file }) => {
      room -= file.size;
      if (room < 0) throw tooLarge();
      return file.slice(0, file.size);
    }),
  );
  const copies = references.map((name, index) => copy(`${directory}/${name}`, contents[index]?.length ?? 0));
  const inside = replaceReferences(command, (reference) => `${directory}/${reference}`);
  return {
    // On one line, so that bash counts the lines of the command from 1.
    command: `mkdir -m 700 ${directory} || exit 125;${copies.join('')}exec </dev/null;${inside}`,
    stdin: Buffer.concat(contents),
    directory,
    isQuery: true,
    keepsUnfiltered: false,
  };
}

/** dd reads exactly the bytes that it is told to, so that the next copy begins behind them. */
function copy(path: string, bytes: number): string {
  const fill = bytes === 0 ? `: >${path}` : `dd bs=${bytes} count=1 of=${path} 2>/dev/null`;
  return `${fill};chmod 400 ${path};`;
}

/** The command that shows what was kept, and removes the directory. */
export function cleanupOf({ directory, keepsUnfiltered }: PreparedCommand): string {
  return `${keepsUnfiltered ? `cat ${directory}/unfiltered 2>/dev/null;` : ''}rm -rf ${directory}`;
}

/** Shows references in the place of the files that stood for them. */
export function withReferences(text: string, { directory }: PreparedCommand): string {
  return directory === undefined ? text : text.replaceAll(`${directory}/`, '');
}

/** Nobody can guess the name, so nobody can make it before. */
function freshDirectory(): string {
  return `/tmp/jinn-${process.getBuiltinModule('node:crypto').randomBytes(12).toString('hex')}`;
}

function tooLarge(): ToolError {
  return new ToolError('file_too_large', 'the buffers of this command hold more than 64 MiB together', {
    suggestion: 'query one after another, or use search_pattern or read_file on the reference',
  });
}
