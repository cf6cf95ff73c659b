import { ToolError } from '@jinn/errors';
import { type FileState, mutate } from '@jinn/guard';
import { defineTool, type ToolContext, type ToolOutput } from '@jinn/tool';
import { type ChangeMeta, changeMeta, diffOf, formatEdit } from './diff/change-report.ts';
import { type CellName, type EditedCell, editCell, suggestCell } from './edit/edit-cell.ts';
import { type Edit, editText, rejectBadTexts, textToEdit } from './edit/edit-text.ts';
import { NotUniqueError } from './edit/not-unique.ts';
import { toSearchText } from './match/find-text.ts';
import { encodeContent } from './read/text-content.ts';

export const editFile = defineTool({
  name: 'edit_file',
  effect: 'write',
  description:
    'Replace old_text, which must be in the file exactly once; else give more lines, or replace_all. Line endings, blanks at line ends and the kind of quotes and dashes may differ.',
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
      near_line: z.optional(
        z.int().check(z.minimum(1), z.describe('Of several matches, take the nearest to this line')),
      ),
      cell: z.optional(z.union([z.int(), z.string()]).check(z.describe('Number or id of a notebook cell to edit'))),
      if_version: z.optional(z.string().check(z.describe('Only if it still has this version'))),
    }),
  examples: [
    { path: 'main.go', old_text: 'fmt.Println', new_text: 'log.Println' },
    { path: 'config.yaml', old_text: 'port: 8080', new_text: 'port: 9090', dry_run: true },
  ],
  hosting: {
    isBasic: true,
    isShown: true,
    tellsVersions: 'without-session',
    unlisted: ['show_context', 'expected_count', 'if_version'],
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
          const { bytes, encoding } = textToEdit(file.content, args);
          const edited = args.cell === undefined ? inFile(bytes, args) : editCell(bytes, args.cell, args);
          return { changes: [{ file, content: encodeContent({ bytes: edited.bytes, encoding }) }], found: edited };
        } catch (error) {
          throw await explain(error, { file, args, ctx });
        }
      },
    });
    const { edited, path: place } = result.found;
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    const meta = {
      ...changeMeta(changed, result, ctx),
      match_type: edited.fuzzyMatch === undefined ? 'exact' : 'fuzzy',
      places: edited.places.length,
    };
    const told = formatEdit({ ...args, path: place }, edited, show_context);
    const facts = { matchInfo: matchOf(meta) };
    const visualize = async () => {
      const { visualizeChanges } = await import('./diff/visualize-changes.ts');
      return visualizeChanges([changed], { dryRun: dry_run, ...facts });
    };
    if (!dry_run) return { text: told, meta, facts, visualize };
    const fuzzy = edited.fuzzyMatch === undefined ? '' : ' (fuzzy match)';
    return { text: `[dry-run] diff for ${path}:${fuzzy}\n${diffOf(changed)}`, meta, facts, visualize };
  },
});

function inFile(bytes: string, edit: Edit): EditedCell {
  const edited = editText(toSearchText(bytes), edit);
  return { bytes: edited.bytes, edited, path: edit.path };
}

interface FailedEdit {
  readonly file: FileState;
  readonly args: Edit & { readonly cell?: CellName | undefined };
  readonly ctx: ToolContext;
}

/**
 * Adds the known facts to a refusal: where the file is, the symbols around several matches, the cell that a text is in.
 */
async function explain(error: unknown, { file: { path, content }, args, ctx }: FailedEdit): Promise<unknown> {
  if (content === undefined) return (await import('./read/missing-file.ts')).suggestPath(error, args.path, ctx);
  if (args.cell !== undefined || !(error instanceof ToolError)) return error;
  if (error instanceof NotUniqueError) return error.withSymbols(ctx.session, { path, content });
  const suggestion = error.code === 'edit_not_found' ? suggestCell(textToEdit(content, args).bytes, args) : undefined;
  return suggestion === undefined ? error : new ToolError(error.code, error.message, { suggestion });
}

function matchOf({ match_type: strategy, first_changed_line: line }: ChangeMeta & { match_type: string }) {
  return { strategy, ...(line !== undefined && { lineNumber: line }) };
}
