import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, newFaults } from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import { ContentLines } from '../show/content-lines.ts';
import type { Source } from '../show/read-source.ts';

/** Words that parse as names, but that no declaration may have in a module. */
const RESERVED: Readonly<Record<string, string>> = {
  script:
    'arguments async await break case catch class const continue debugger default delete do else enum eval export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof undefined var void while with yield',
  python:
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield __debug__',
  java:
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final ' +
    'finally float for goto if implements import instanceof int interface long native new package private protected ' +
    'public return short static strictfp super switch synchronized this throw throws transient try void volatile while ' +
    'true false null _',
  go:
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package range ' +
    'return select struct switch type var _',
  rust:
    'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ' +
    'ref return self Self static struct super trait true type unsafe use where while abstract become box do final gen ' +
    'macro override priv try typeof unsized virtual yield _',
};

const SCRIPTS: ReadonlySet<string> = new Set('typescript tsx javascript vue svelte html'.split(' '));

/** Refuses a word of a language that cannot be a name in it. */
export function rejectReserved(name: string, language: string): void {
  const words = RESERVED[SCRIPTS.has(language) ? 'script' : language];
  if (!words?.split(' ').includes(name)) return;
  throw invalid(`${name} is a word of the language, so that nothing can have it as its name`, 'choose another name');
}

/** Refuses a new name that already means something else. */
export function nameTaken(name: string, place: string): ToolError {
  return invalid(`${name} is in use already, at ${place}; nothing was changed`, 'choose another name');
}

interface RenamePreview {
  readonly before: Pick<Source, 'path' | 'content' | 'outline'>;
  readonly after: Buffer;
}

/** Refuses a new name that the parser does not accept, such as a word of the language. */
export async function rejectUnfit(ctx: ToolContext, newName: string, { before, after }: RenamePreview): Promise<void> {
  const outlines = ctx.session.use(createOutlines);
  const { path } = before;
  const outline = await outlines.read({ path, content: after, version: versionOf(after) });
  if (!isOutline(outline)) return;
  const [fault] = newFaults(before, { content: after, outline });
  if (!fault) return;
  const place = `${path}:${new ContentLines(after).lineOf(fault.start)}`;
  throw invalid(`${newName} cannot be a name at ${place}; nothing was changed`, 'choose another name');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
