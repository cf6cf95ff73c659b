import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, type Identifier } from '@jinn/syntax';
import { mutate } from '@jinn/workspace';
import { needsServer } from '../../index.ts';
import { apply, type Splice } from '../edit/edit-symbol.ts';
import { type FileUses, findUses } from '../find/find-uses.ts';
import { mayBeCode } from '../find/related-languages.ts';
import type { NoAnswer } from '../server/ask-server.ts';
import { ContentLines } from '../show/content-lines.ts';
import { describeInFile } from '../show/describe-source.ts';
import {
  findUncertainUses,
  isMember,
  isOfFileAlone,
  isPublic,
  type OwnUses,
  type RenamedSymbol,
} from './check-uses.ts';
import { findHiddenUse } from './hidden-uses.ts';
import { isShorthand } from './name-role.ts';
import { movedPlaces, rejectTaken, rejectUnfit } from './new-name.ts';

export interface RenameOrder {
  readonly newName: string;
  /** The path of the declaring file in the call, and the version that the agent has seen. */
  readonly asked: string;
  readonly ifVersion: string | undefined;
}

interface OrderInFile extends RenameOrder {
  /** Why no language server renames it. */
  readonly noAnswer: NoAnswer;
}

/** The changes of a rename. */
export interface WrittenRename {
  /** The changed files, for `meta`. */
  readonly changed: readonly object[];
  readonly edits: number;
  readonly operationId: string | undefined;
}

/**
 * Renames the identifiers of a symbol in the file that declares it. Throws `lsp_unavailable` if other files have the
 * name in their code, or if one in the file could mean something else. Throws `invalid_args` for a new name that
 * already means something or that cannot stand there.
 */
export async function renameInFile(ctx: ToolContext, renamed: RenamedSymbol, order: OrderInFile) {
  const { name } = renamed.symbol;
  const { newName, noAnswer } = order;
  const own = await findOwnUses(ctx, renamed, order);
  const isOfType = isMember(renamed, own);
  await rejectTaken(ctx, renamed, {
    own,
    newName,
    isOfFileAlone: isOfFileAlone(renamed, own),
    isMember: isOfType,
  });
  const splices = own.ranges.map((range) => toSplice(range, name, newName));
  const after = apply(own.content, splices);
  await rejectUnfit(ctx, newName, {
    before: { ...own, outline: renamed.source.outline },
    after,
    places: movedPlaces(splices, newName),
  });
  await rejectLeft(ctx, own, { name, after });
  const written = await write(ctx, own, { ...order, after });
  const warnings = [...own.warnings, describeInFile(name, noAnswer.why, isPublic(renamed, own))];
  return { ...written, edits: splices.length, warnings, meta: { textual: true } };
}

type FoundOwnUses = OwnUses & { readonly warnings: readonly string[] };

/** Finds the identifiers to rename. Throws if the name could mean something else, in this file or another. */
async function findOwnUses(
  ctx: ToolContext,
  renamed: RenamedSymbol,
  { newName, noAnswer }: OrderInFile,
): Promise<FoundOwnUses> {
  const { source, symbol } = renamed;
  const { name } = symbol;
  const uses = await findUses(ctx, name, { ...source.outline, isWide: true, withAround: true });
  const own = uses.files.find(({ path }) => path === source.path);
  const declared = own?.ranges.find(({ start }) => start === symbol.nameStart);
  if (!own || !declared) throw mayBeCode(source.path) && !own ? noSource(renamed) : notDeclared(renamed);
  const found = { ...own, declared };
  const naming = uses.files.map((file) => toNaming(file, name)).filter(({ places }) => places.length > 0);
  const others = naming.filter(({ path }) => path !== own.path);
  const toServerError = (reason: string, files: readonly NamingUses[]) =>
    needsServer({ name, newName, files: files.map(toLines), reason, noAnswer });
  if (others.length > 0)
    throw toServerError(`other files (${others.length}) have the name in their code`, [toNaming(own, name), ...others]);
  if (!uses.isWhole) throw toServerError(`other files may have the name: ${uses.warnings.join('; ')}`, naming);
  const doubts = [...findUncertainUses(renamed, found, newName).map(({ start }) => start), ...hiddenIn(own, name)];
  if (doubts.length > 0) throw toServerError('these may mean something else', [{ ...own, places: doubts }]);
  return { ...found, warnings: uses.warnings };
}

/** A file, and the bytes in it where its code names a symbol. */
interface NamingUses extends Pick<FileUses, 'path' | 'content'> {
  readonly places: readonly number[];
}

function toLines({ path, content, places }: NamingUses) {
  const lines = new ContentLines(content);
  return { path, lines: places.map((at) => lines.lineOf(at)) };
}

function toNaming(file: FileUses, name: string): NamingUses {
  return { ...file, places: [...file.ranges.map(({ start }) => start), ...hiddenIn(file, name)] };
}

function hiddenIn(file: FileUses, name: string): readonly number[] {
  const hidden = findHiddenUse(file, name);
  return hidden === undefined ? [] : [hidden];
}

function noSource({ source, symbol }: RenamedSymbol): ToolError {
  return invalid(
    `${source.path} is not among the source files of the project (.gitignore and directories such as vendor leave files out), so that uses of ${symbol.path} cannot be found`,
    'change its name as text in each file that uses it',
  );
}

function notDeclared({ symbol }: RenamedSymbol): ToolError {
  return invalid(`${symbol.path} is not declared by an identifier`, 'change its name as text');
}

/** Makes the splice that renames an identifier. The key of an object keeps its name. */
function toSplice(range: Identifier, from: string, to: string): Splice {
  const { start, end } = range;
  return { start, end, text: isShorthand(range) ? `${from}: ${to}` : to };
}

interface RenamedContent {
  readonly name: string;
  readonly after: Buffer;
}

/** Refuses a rename that would leave some identifiers, since only a limited number is found in a file. */
async function rejectLeft(
  ctx: ToolContext,
  { path, ranges }: FileUses,
  { name, after }: RenamedContent,
): Promise<void> {
  const left = await ctx.session.use(createOutlines).identifiers({ path, content: after }, name);
  if (!('reason' in left) && left.length === ranges.filter(isShorthand).length) return;
  throw new ToolError(
    'resource_limit',
    `${path} has more uses of ${name} than are found at once; nothing was changed`,
    {
      suggestion: 'replace it as text',
    },
  );
}

/** Writes the new content of the file, which must still be the one that was searched. */
async function write(
  ctx: ToolContext,
  own: FileUses,
  { asked, ifVersion, after }: RenameOrder & Pick<RenamedContent, 'after'>,
) {
  const { files, operationId } = await mutate(ctx, {
    operation: 'rename_symbol',
    takesStale: true, // The version is the one that was looked at.
    targets: [{ path: `./${own.path}`, ifVersion: own.version }],
    ifVersions: ifVersion === undefined ? undefined : { [asked]: ifVersion },
    compute: (states) => ({ changes: states.map((file) => ({ file, content: after })), extra: undefined }),
  });
  const changed = files.map(({ file, version, undoId }) => ({
    path: file.path,
    version,
    ...(undoId !== undefined && { undo_id: undoId }),
  }));
  return { changed, operationId };
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
