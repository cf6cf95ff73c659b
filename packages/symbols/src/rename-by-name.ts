import { mutate, type ToolContext, ToolError } from '@jinn/core';
import { type Identifier, namePathOf, type SyntaxSymbol } from '@jinn/syntax';
import { apply, type Splice } from './edit-symbol.ts';
import type { FileUses, FoundUses } from './find-uses.ts';
import { changesElement, hiddenUse } from './hidden-uses.ts';
import { isMember, type Renamed, UseJudge } from './judge-uses.ts';
import { mayBeCode } from './languages.ts';
import { ContentLines } from './lines.ts';
import { isShorthand, isTakenOut } from './name-role.ts';
import { type NameViews, openViews, type UsedFile } from './name-views.ts';
import { movedPlaces, refuseTaken, refuseUnfit } from './new-name.ts';
import { outlineOf } from './read-source.ts';

const MOST_LISTED = 20;
const MOST_FILES = 1_000;

export interface RenameOrder {
  readonly newName: string;
  /** The path of the declaring file as it was asked for, and the version that the agent has seen. */
  readonly asked: string;
  readonly ifVersion: string | undefined;
}

interface OrderByName extends RenameOrder {
  readonly uses: FoundUses;
  /** Why no language server does it. */
  readonly why: string;
}

/** What a rename has changed. */
export interface WrittenRename {
  /** For `meta`. */
  readonly changed: readonly object[];
  readonly edits: number;
  readonly operationId: string | undefined;
}

/**
 * Renames the identifiers that mean a symbol. Throws `lsp_unavailable` if one of that name could mean something else,
 * and `invalid_args` for a new name that means something already or that cannot stand there.
 */
export async function renameByName(ctx: ToolContext, renamed: Renamed, order: OrderByName): Promise<WrittenRename> {
  const { newName, uses, why } = order;
  const { path: own } = renamed.source;
  if (mayBeCode(own) && !uses.files.some(({ path }) => path === own)) throw noSource(renamed);
  const named = uses.files.filter(({ ranges }) => ranges.length > 0);
  if (named.length > MOST_FILES) throw tooMany(named.length);
  const files = await withOutlines(ctx, named);
  const isOfType = isMember(renamed, declaredIn(renamed, files));
  const views = await openViews(ctx, renamed.source, files);
  const renames = await chooseUses(renamed, files, { newName, why, views, isMember: isOfType });
  await refuseTaken(ctx, renamed, { renames, newName, views, isMember: isOfType });
  for (const file of renames) {
    const splices = splicesOf(file, { from: renamed.symbol.name, to: newName });
    const after = apply(file.content, splices);
    await refuseUnfit(ctx, newName, { before: file, after, places: movedPlaces(splices, newName) });
  }
  const written = await write(ctx, renames, { ...order, from: renamed.symbol.name, to: newName });
  return { ...written, edits: renames.reduce((sum, { ranges }) => sum + ranges.length, 0) };
}

async function withOutlines(ctx: ToolContext, files: readonly FileUses[]): Promise<readonly UsedFile[]> {
  const read: UsedFile[] = [];
  for (const file of files) read.push({ ...file, outline: await outlineOf(ctx, file) });
  return read;
}

function declaredIn({ source, symbol }: Renamed, files: readonly UsedFile[]): Identifier {
  const own = files.find(({ path }) => path === source.path);
  const declared = own?.ranges.find(({ start }) => start === symbol.nameStart);
  if (declared) return declared;
  throw invalid(`${symbol.path} is not declared by an identifier`, 'change its name as text');
}

function noSource({ source, symbol }: Renamed): ToolError {
  return invalid(
    `${source.path} is not among the source files of the project (.gitignore and directories such as vendor leave files out), so that uses of ${symbol.path} cannot be found`,
    'change its name as text in each file that uses it',
  );
}

interface Choosing {
  readonly newName: string;
  readonly why: string;
  readonly views: NameViews;
  readonly isMember: boolean;
}

/** Returns the identifiers that mean the symbol. Refuses a rename that could change what other things mean. */
async function chooseUses(
  renamed: Renamed,
  files: readonly UsedFile[],
  { newName, why, ...judging }: Choosing,
): Promise<readonly UsedFile[]> {
  const { symbol } = renamed;
  const judge = new UseJudge(renamed, judging);
  const others = files.flatMap((file) => othersIn(renamed, file));
  const doubts: string[] = [];
  const renames: UsedFile[] = [];
  for (const file of files) {
    const lines = new ContentLines(file.content);
    const ranges: Identifier[] = [];
    for (const range of file.ranges) {
      const verdict = await judge.judge(file, range);
      if (verdict === 'rename') ranges.push(range);
      if (verdict === 'doubt' || (verdict === 'rename' && changesElement(range, symbol.name, newName))) {
        doubts.push(`${file.path}:${lines.lineOf(range.start)}`);
      }
    }
    if (ranges.length > 0) renames.push({ ...file, ranges });
    const hidden = ranges.length > 0 || judging.views.isReexporter(file) ? hiddenUse(file, symbol.name) : undefined;
    if (hidden !== undefined) doubts.push(`${file.path}:${lines.lineOf(hidden)}`);
  }
  if (others.length > 0) throw doubtful(symbol, { what: 'other symbols have the same name', places: others, why });
  if (doubts.length > 0) throw doubtful(symbol, { what: 'these may mean something else', places: doubts, why });
  return renames;
}

function othersIn(renamed: Renamed, { path, outline }: UsedFile): string[] {
  return outline.symbols
    .filter((other) => other.name === renamed.symbol.name && !isSame(renamed, path, other))
    .map((other) => `${namePathOf(outline, other)} (${path}:${other.line})`);
}

/** Overloads are renamed together. */
function isSame({ source, symbol }: Renamed, file: string, other: SyntaxSymbol): boolean {
  return file === source.path && other.path === symbol.path;
}

interface Doubts {
  readonly what: string;
  readonly places: readonly string[];
  readonly why: string;
}

function doubtful({ path, name }: SyntaxSymbol, { what, places, why }: Doubts): ToolError {
  const listed = places.slice(0, MOST_LISTED).join(', ');
  const more = places.length > MOST_LISTED ? ` and ${places.length - MOST_LISTED} more` : '';
  const message = `${path} cannot be renamed by its name alone, since ${what}: ${listed}${more}; nothing was changed`;
  return new ToolError('lsp_unavailable', message, {
    suggestion: `change each ${name} that is meant, as text; a language server could tell them apart (${why})`,
  });
}

function tooMany(count: number): ToolError {
  return new ToolError('resource_limit', `the name is used in ${count} files; nothing was changed`, {
    suggestion: 'replace it as text, directory by directory',
  });
}

interface Writing extends RenameOrder {
  readonly from: string;
  readonly to: string;
}

/** Each file must still be what was searched. */
async function write(ctx: ToolContext, used: readonly FileUses[], { from, to, asked, ifVersion }: Writing) {
  const { files, operationId } = await mutate(ctx, {
    operation: 'rename_symbol',
    targets: used.map(({ path, version }) => ({ path: `./${path}`, ifVersion: version })),
    ifVersions: ifVersion === undefined ? undefined : { [asked]: ifVersion },
    compute: (states) => ({
      changes: states.map((file, i) => {
        const { content, ranges } = used[i] as FileUses;
        return {
          file,
          content: apply(content, splicesOf({ ranges }, { from, to })),
        };
      }),
      found: undefined,
    }),
  });
  const changed = files.map(({ file, version, undoId }) => ({
    path: file.path,
    version,
    ...(undoId !== undefined && { undo_id: undoId }),
  }));
  return { changed, operationId };
}

type Names = Pick<Writing, 'from' | 'to'>;

function splicesOf({ ranges }: Pick<FileUses, 'ranges'>, names: Names): readonly Splice[] {
  return ranges.map((range) => toSplice(range, names));
}

/** The key of an object keeps its name, and what is taken out of a module its own. */
function toSplice(range: Identifier, { from, to }: Names): Splice {
  const { start, end } = range;
  if (!isShorthand(range)) return { start, end, text: to };
  return { start, end, text: isTakenOut(range) ? `${to}: ${from}` : `${from}: ${to}` };
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
