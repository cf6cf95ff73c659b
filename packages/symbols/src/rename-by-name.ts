import { mutate, type ToolContext, ToolError } from '@jinn/core';
import { type Identifier, namePathOf, type SyntaxSymbol } from '@jinn/syntax';
import { apply, type Splice } from './edit-symbol.ts';
import { type FileUses, type FoundUses, wordsAt } from './find-uses.ts';
import { isCertain, isShorthand, type Renamed } from './judge-uses.ts';
import { ContentLines } from './lines.ts';
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

/** Renames all identifiers of a name. Throws `lsp_unavailable` if one of them could mean something else. */
export async function renameByName(ctx: ToolContext, renamed: Renamed, order: OrderByName): Promise<WrittenRename> {
  const used = order.uses.files.filter(({ ranges }) => ranges.length > 0);
  await refuseDoubtful(ctx, renamed, { used, newName: order.newName, why: order.why });
  const written = await write(ctx, used, { ...order, from: renamed.symbol.name, to: order.newName });
  return { ...written, edits: used.reduce((sum, { ranges }) => sum + ranges.length, 0) };
}

interface Doubt {
  readonly used: readonly FileUses[];
  readonly newName: string;
  readonly why: string;
}

/** Refuses a rename that could change what other things mean. */
async function refuseDoubtful(ctx: ToolContext, renamed: Renamed, { used, newName, why }: Doubt): Promise<void> {
  const { source, symbol } = renamed;
  if (used.length > MOST_FILES) throw tooMany(used.length);
  const own = used.find(({ path }) => path === source.path);
  if (!own?.ranges.some(({ start }) => start === symbol.nameStart)) {
    throw invalid(`${symbol.path} is not declared by an identifier`, 'change its name with edit_file');
  }
  const others: string[] = [];
  const doubts: string[] = [];
  for (const file of used) {
    const { path, content, ranges } = file;
    const outline = await outlineOf(ctx, file);
    const lines = new ContentLines(content);
    for (const other of outline.symbols) {
      if (other.name === symbol.name && !isSame(renamed, path, other)) {
        others.push(`${namePathOf(outline, other)} (${path}:${other.line})`);
      }
    }
    const doubtful = ranges.filter((range) => !isCertain(renamed, file, outline, range));
    doubts.push(...doubtful.map(({ start }) => `${path}:${lines.lineOf(start)}`));
    const [taken] = wordsAt(content, newName);
    if (taken !== undefined) throw nameTaken(newName, `${path}:${lines.lineOf(taken)}`);
  }
  if (others.length > 0) throw doubtful(symbol, { what: 'other symbols have the same name', places: others, why });
  if (doubts.length > 0) throw doubtful(symbol, { what: 'these may mean something else', places: doubts, why });
}

/** Overloads are renamed together. */
function isSame({ source, symbol }: Renamed, file: string, other: SyntaxSymbol): boolean {
  return file === source.path && other.path === symbol.path;
}

/** Refuses a new name that means something else already. */
export function nameTaken(name: string, place: string): ToolError {
  return invalid(`${name} is in use already, at ${place}; nothing was changed`, 'choose another name');
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
    suggestion: `change each ${name} that is meant with edit_file; a language server could tell them apart (${why})`,
  });
}

function tooMany(count: number): ToolError {
  return new ToolError('resource_limit', `the name is used in ${count} files; nothing was changed`, {
    suggestion: 'use search_replace, directory by directory',
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
          content: apply(
            content,
            ranges.map((range) => toSplice(range, { from, to })),
          ),
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

/** The key of an object keeps its name. */
function toSplice(range: Identifier, { from, to }: Pick<Writing, 'from' | 'to'>): Splice {
  return { start: range.start, end: range.end, text: isShorthand(range) ? `${from}: ${to}` : to };
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
