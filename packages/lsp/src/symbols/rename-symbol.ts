import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseSymbol } from '@jinn/syntax';
import { applyEdits, needsServer, wordsAt } from '../index.ts';
import { planServerRename, type RenamedSymbol, rejectReserved } from './edit/server-rename.ts';
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
    if (!(language === 'ruby' ? RUBY_IDENTIFIER : IDENTIFIER).test(new_name))
      throw invalid(`${JSON.stringify(new_name.slice(0, 100))} is not an identifier`, 'use letters, digits and _');
    const symbol = chooseSymbol(source.outline, name_path, path);
    rejectReserved(new_name, language);
    const { name } = symbol;
    if (name === new_name) throw invalid(`${name_path} is called ${new_name} already`, 'pass another new_name');
    const renamed = { source, symbol };
    const uses = await findUses(ctx, name, { language });
    const asked = await planServerRename(ctx, renamed, { uses, newName: new_name });
    if (!isAnswered(asked)) throw await listPlaces(ctx, renamed, { newName: new_name, noAnswer: asked });
    const ifVersions = if_version === undefined ? undefined : { [path]: if_version };
    const applied = await applyEdits(asked.value, ctx, { operation: 'rename_symbol', ifVersions });
    const edits = asked.value.reduce((sum, change) => sum + change.edits.length, 0);
    const { warnings, meta } = describeServer(asked);
    const left = name.length < LEAST_LETTERS ? undefined : await findUses(ctx, name, { language });
    const data = {
      ...{ status: 'ok', old_name: name, new_name, files_changed: applied.files.length, total_edits: edits },
      ...(left ? { textual_matches: textsOf(left.files, name) } : { sweep_skipped: true }),
    };
    return { data, warnings, meta: { ...meta, ...applied } };
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
  return needsServer({ name: symbol.name, ...order, files: places }, ctx);
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
