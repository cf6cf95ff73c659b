import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, newFaults } from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import type { Splice } from '../edit/edit-symbol.ts';
import { type FileUses, findUses, wordsAt } from '../find/find-uses.ts';
import { ContentLines } from '../show/content-lines.ts';
import { outlineOf, type Source } from '../show/read-source.ts';
import type { RenamedSymbol } from './check-uses.ts';
import { familyOf } from './name-role.ts';

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

/** Refuses a word of a language that cannot be a name in it. */
export function rejectReserved(name: string, language: string): void {
  const words = RESERVED[familyOf(language)];
  if (!words?.split(' ').includes(name)) return;
  throw invalid(`${name} is a word of the language, so that nothing can have it as its name`, 'choose another name');
}

/** Refuses a new name that already means something else. */
export function nameTaken(name: string, place: string): ToolError {
  return invalid(`${name} is in use already, at ${place}; nothing was changed`, 'choose another name');
}

interface NewNameUse {
  readonly own: FileUses;
  readonly newName: string;
  /** True if no other file can name the symbol. */
  readonly isOfFileAlone: boolean;
  /** True if the symbol is named as a member of its type. */
  readonly isMember: boolean;
}

/** Refuses a new name that the file already has or, if others may see it, that another file declares. */
export async function rejectTaken(
  ctx: ToolContext,
  { source }: RenamedSymbol,
  { own, newName, isOfFileAlone, isMember }: NewNameUse,
): Promise<void> {
  const [taken] = wordsAt(own.content, newName);
  if (taken !== undefined) throw nameTaken(newName, `${own.path}:${new ContentLines(own.content).lineOf(taken)}`);
  if (isOfFileAlone) return;
  const { files } = await findUses(ctx, newName, source.outline);
  for (const file of files) {
    const outline = await outlineOf(ctx, file);
    const other = outline.symbols.find(({ name, parent }) => name === newName && (isMember || parent < 0));
    if (other) throw nameTaken(newName, `${file.path}:${other.line}`);
  }
}

/** Returns the places of the new name after splices that are in order. */
export function movedPlaces(splices: readonly Splice[], newName: string): readonly number[] {
  let moved = 0;
  return splices.map(({ start, end, text }) => {
    const at = start + moved + Buffer.from(text).indexOf(newName);
    moved += Buffer.byteLength(text) - (end - start);
    return at;
  });
}

interface RenamePreview {
  readonly before: Pick<Source, 'path' | 'content' | 'outline'>;
  readonly after: Buffer;
  readonly places: readonly number[];
}

/**
 * Refuses a new name that the parser does not accept as a name at one of its places, such as a word of the language.
 */
export async function rejectUnfit(
  ctx: ToolContext,
  newName: string,
  { before, after, places }: RenamePreview,
): Promise<void> {
  const outlines = ctx.session.use(createOutlines);
  const { path } = before;
  const identifiers = await outlines.identifiers({ path, content: after }, newName);
  const outline = await outlines.read({ path, content: after, version: versionOf(after) });
  if ('reason' in identifiers || !isOutline(outline)) return;
  const starts = new Set(identifiers.map(({ start }) => start));
  const [fault] = newFaults(before, { content: after, outline });
  const unfit = fault?.start ?? places.find((at) => !starts.has(at));
  if (unfit === undefined) return;
  const place = `${path}:${new ContentLines(after).lineOf(unfit)}`;
  throw invalid(`${newName} cannot be a name at ${place}; nothing was changed`, 'choose another name');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
