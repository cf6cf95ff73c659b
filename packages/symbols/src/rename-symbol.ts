import { defineTool, mutate, type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { chooseSymbol, type Identifier, namePathOf, type SyntaxSymbol } from '@jinn/syntax';
import { knowledgeOf } from './code-knowledge.ts';
import { apply, type Splice } from './edit-symbol.ts';
import { type FileUses, wordsAt } from './find-uses.ts';
import { isCertain, isShorthand, type Renamed } from './judge-uses.ts';
import { ContentLines } from './lines.ts';
import { outlineOf, readSource } from './read-source.ts';

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const MOST_LISTED = 20;
const MOST_FILES = 1_000;
/** Shorter names stand in too many texts. */
const LEAST_LETTERS = 4;

export const renameSymbol = defineTool({
  name: 'rename_symbol',
  effect: 'write',
  description:
    'Rename a symbol and its uses in the project. Refuses what could change something else; leaves comments and strings.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File that declares it')),
      new_name: z.string().check(z.minLength(1), z.describe('The new name')),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: {
    type: 'object',
    properties: {
      status: { type: 'string' },
      old_name: { type: 'string' },
      new_name: { type: 'string' },
      files_changed: { type: 'integer' },
      total_edits: { type: 'integer' },
      textual_matches: { type: 'array' },
    },
  },
  examples: [{ name_path: 'parse', path: 'src/parse.ts', new_name: 'parseText' }],

  async run({ name_path, path, new_name, if_version }, ctx): Promise<ToolOutput> {
    refuseBadName(new_name);
    const source = await readSource(ctx, path);
    const symbol = chooseSymbol(source.outline, name_path, path);
    const { name } = symbol;
    if (name === new_name) throw invalid(`${name_path} is called ${new_name} already`, 'pass another new_name');
    const knowledge = knowledgeOf(ctx);
    const { files, warnings } = await knowledge.findUses(source, symbol);
    const used = files.filter(({ ranges }) => ranges.length > 0);
    await refuseDoubtful(ctx, { source, symbol }, { used, newName: new_name });
    const { changed, operationId } = await write(ctx, used, {
      from: name,
      to: new_name,
      asked: path,
      ifVersion: if_version,
    });
    const edits = used.reduce((sum, { ranges }) => sum + ranges.length, 0);
    const isShort = name.length < LEAST_LETTERS;
    const data = {
      ...{ status: 'ok', old_name: name, new_name, files_changed: changed.length, total_edits: edits },
      ...(isShort ? { sweep_skipped: true } : { textual_matches: textsOf(files, name) }),
    };
    const told = knowledge.tell(name, warnings);
    return { data, ...told, meta: { ...told.meta, files: changed, ...(operationId && { operation_id: operationId }) } };
  },
});

function refuseBadName(name: string): void {
  if (IDENTIFIER.test(name)) return;
  throw invalid(`${JSON.stringify(name.slice(0, 100))} is no identifier`, 'use letters, digits and _');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}

interface Rename {
  readonly used: readonly FileUses[];
  readonly newName: string;
}

/** Refuses a rename that could change what other things mean. */
async function refuseDoubtful(ctx: ToolContext, renamed: Renamed, { used, newName }: Rename): Promise<void> {
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
  if (others.length > 0) throw doubtful(symbol, 'other symbols have the same name', others);
  if (doubts.length > 0) throw doubtful(symbol, 'these may mean something else', doubts);
}

/** Overloads are renamed together. */
function isSame({ source, symbol }: Renamed, file: string, other: SyntaxSymbol): boolean {
  return file === source.path && other.path === symbol.path;
}

function nameTaken(name: string, place: string): ToolError {
  return invalid(`${name} is in use already, at ${place}; nothing was changed`, 'choose another name');
}

function doubtful({ path, name }: SyntaxSymbol, why: string, places: readonly string[]): ToolError {
  const listed = places.slice(0, MOST_LISTED).join(', ');
  const more = places.length > MOST_LISTED ? ` and ${places.length - MOST_LISTED} more` : '';
  const message = `${path} cannot be renamed by its name alone, since ${why}: ${listed}${more}; nothing was changed`;
  return new ToolError('lsp_unavailable', message, {
    suggestion: `change each ${name} that is meant with edit_file; a language server could tell them apart`,
  });
}

function tooMany(count: number): ToolError {
  return new ToolError('resource_limit', `the name is used in ${count} files; nothing was changed`, {
    suggestion: 'use search_replace, directory by directory',
  });
}

interface Writing {
  readonly from: string;
  readonly to: string;
  readonly asked: string;
  readonly ifVersion: string | undefined;
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

/** The name in comments and strings, one line a file. */
function textsOf(files: readonly FileUses[], name: string) {
  return files
    .filter(({ isInText }) => isInText)
    .slice(0, MOST_LISTED)
    .map(({ path, content, ranges }) => {
      const starts = new Set(ranges.map(({ start }) => start));
      const texts = wordsAt(content, name).filter((at) => !starts.has(at));
      const lines = new ContentLines(content);
      const line = lines.lineOf(texts[0] ?? 0);
      return { file: path, line, count: texts.length, preview: lines.text(line).trim() };
    });
}
