import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseSymbol } from '@jinn/syntax';
import { needsServer, wordsAt } from '../index.ts';
import { applyPlan, planServerRename, type RenamedSymbol, rejectReserved } from './edit/server-rename.ts';
import { type FileUses, findUses, textsIn } from './find/find-uses.ts';
import { describeServer, isAnswered, type NoAnswer } from './server/ask-server.ts';
import { ContentLines } from './show/content-lines.ts';
import { readSource } from './show/read-source.ts';

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
/** In Ruby, methods may end in one of these. */
const RUBY_IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*[?!=]?$/u;
const MOST_LISTED = 20;
/** Shorter names occur in too many texts. */
const LEAST_LETTERS = 4;

export const renameSymbol = defineTool({
  name: 'rename_symbol',
  effect: 'write',
  description:
    'Rename a symbol and its uses with a language server. Leaves comments and strings. Without a server it changes nothing and lists the places.',
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
    const source = await readSource(ctx, path);
    const { language } = source.outline;
    rejectBadName(new_name, language);
    const symbol = chooseSymbol(source.outline, name_path, path);
    rejectReserved(new_name, language);
    const { name } = symbol;
    if (name === new_name) throw invalid(`${name_path} is called ${new_name} already`, 'pass another new_name');
    const renamed = { source, symbol };
    const uses = await findUses(ctx, name, { language });
    const asked = await planServerRename(ctx, renamed, { uses, newName: new_name });
    if (!isAnswered(asked)) throw await listPlaces(ctx, renamed, { newName: new_name, noAnswer: asked });
    const { changed, edits, operationId } = await applyPlan(ctx, asked.value, { asked: path, ifVersion: if_version });
    const { warnings, meta } = describeServer(asked);
    const left = name.length < LEAST_LETTERS ? undefined : await findUses(ctx, name, { language });
    const data = {
      ...{ status: 'ok', old_name: name, new_name, files_changed: changed.length, total_edits: edits },
      ...(left ? { textual_matches: textsOf(left.files, name) } : { sweep_skipped: true }),
    };
    return {
      data,
      warnings,
      meta: { ...meta, files: changed, ...(operationId && { operation_id: operationId }) },
    };
  },
});

async function listPlaces(
  ctx: ToolContext,
  { source, symbol }: RenamedSymbol,
  order: { newName: string; noAnswer: NoAnswer },
): Promise<ToolError> {
  const { files } = await findUses(ctx, symbol.name, { language: source.outline.language, isWide: true });
  const isOwn = ({ path }: { readonly path: string }) => path === source.path;
  const all = files.some(isOwn) ? files : [{ path: source.path, content: source.content }, ...files];
  const places = all
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
    .map(({ path, content }) => {
      const lines = new ContentLines(content);
      return { path, lines: [...wordsAt(content, symbol.name)].map((at) => lines.lineOf(at)) };
    });
  return needsServer({ name: symbol.name, ...order, files: places });
}

function rejectBadName(name: string, language: string): void {
  if ((language === 'ruby' ? RUBY_IDENTIFIER : IDENTIFIER).test(name)) return;
  throw invalid(`${JSON.stringify(name.slice(0, 100))} is not an identifier`, 'use letters, digits and _');
}

function invalid(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}

function textsOf(files: readonly FileUses[], name: string) {
  return files
    .filter(({ isInText }) => isInText)
    .slice(0, MOST_LISTED)
    .map((file) => {
      const texts = textsIn(file, name);
      const lines = new ContentLines(file.content);
      const line = lines.lineOf(texts[0] ?? 0);
      return { file: file.path, line, count: texts.length, preview: lines.text(line).trim() };
    });
}
