import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { type FileState, mutate } from '@jinn/workspace';
import { changeMeta, diffOf, formatEdit, visualizing } from './diff/change-report.ts';
import type { EditedCell } from './edit/edit-cell.ts';
import { type Edit, NotUniqueError } from './edit/edit-errors.ts';
import { type EditableText, editText, openText, rejectBadTexts } from './edit/edit-text.ts';
import { toSearchText } from './match/find-text.ts';

export const editFile = defineTool({
  name: 'edit_file',
  effect: 'write',
  description:
    'Replace old_text, which must be in the file exactly once. Otherwise give more lines, or replace_all. Line endings, blanks at line ends and the kind of quotes and dashes may differ.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      old_text: z.string().check(z.describe('Text')),
      new_text: z.string().check(z.describe('Replacement')),
      dry_run: z._default(z.boolean().check(z.describe('Preview')), false),
      fuzzy_indent: z._default(
        z.boolean().check(z.describe('Match any indentation, and indent new_text like it')),
        false,
      ),
      show_context: z._default(z.int().check(z.minimum(0), z.describe('Lines to show around it')), 0),
      replace_all: z._default(z.boolean().check(z.describe('Everywhere')), false),
      expected_count: z.optional(z.int().check(z.minimum(1), z.describe('Replace every one if there are so many'))),
      near_line: z.optional(z.int().check(z.minimum(1), z.describe('Edit the match nearest to this line'))),
      cell: z.optional(
        z
          .union([z.int(), z.string()])
          .check(z.describe('Number or id of a notebook cell. An empty old_text fills an empty cell')),
      ),
      if_version: z.optional(z.string().check(z.describe('Only if it still has this version'))),
      encoding: z.optional(z.string().check(z.minLength(1), z.describe('Its encoding, if it is detected wrongly'))),
    }),
  examples: [
    { path: 'main.go', old_text: 'fmt.Println', new_text: 'log.Println' },
    { path: 'config.yaml', old_text: 'port: 8080', new_text: 'port: 9090', dry_run: true },
  ],
  hosting: {
    isBasic: true,
    isShown: true,
    tellsVersions: 'without-session',
    unlisted: ['show_context', 'expected_count', 'if_version', 'encoding'],
  },

  async run(args, ctx): Promise<ToolOutput> {
    const { path, dry_run, show_context, if_version } = args;
    rejectBadTexts(args, '');
    const result = await mutate(ctx, {
      operation: 'edit_file',
      targets: [{ path, ifVersion: if_version }],
      dryRun: dry_run,
      compute: async ([file]) => {
        if (!file) throw new Error('one target gives one file');
        try {
          const text = await openText(ctx, file, args.encoding);
          const extra =
            args.cell === undefined
              ? inFile(text, args)
              : (await import('./edit/edit-cell.ts')).editCell(text, args.cell, args);
          return { changes: [{ file, content: extra.content }], extra };
        } catch (error) {
          throw await explainError(error, file, ctx);
        }
      },
    });
    const { edited, path: place } = result.extra;
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    const meta = {
      ...(await changeMeta(changed, result, ctx)),
      match_type: edited.fuzzyMatch === undefined ? 'exact' : 'fuzzy',
      places: edited.places.length,
    };
    const told = formatEdit({ ...args, path: place }, edited, show_context);
    const { match_type: strategy, first_changed_line: line } = meta;
    const facts = { matchInfo: { strategy, ...(line !== undefined && { lineNumber: line }) } };
    const visualize = visualizing([changed], { dryRun: dry_run, ...facts }, ctx);
    if (!dry_run) return { text: told, meta, facts, visualize };
    const fuzzy = edited.fuzzyMatch === undefined ? '' : ' (fuzzy match)';
    return { text: `[dry-run] diff for ${path}:${fuzzy}\n${await diffOf(changed, ctx)}`, meta, facts, visualize };
  },
});

function inFile({ bytes, toContent, explain }: EditableText, edit: Edit): EditedCell {
  try {
    const edited = editText(toSearchText(bytes), edit);
    return { content: toContent(edited.bytes), edited, path: edit.path };
  } catch (error) {
    throw explain(error);
  }
}

async function explainError(error: unknown, { asked, path, content }: FileState, ctx: ToolContext): Promise<unknown> {
  if (content === undefined) return (await import('./read/missing-file.ts')).suggestPath(error, asked, ctx);
  return error instanceof NotUniqueError ? error.withSymbols(ctx.session, { path, content }) : error;
}
