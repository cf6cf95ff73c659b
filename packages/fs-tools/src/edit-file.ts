import { defineTool, mutate, type ToolOutput } from '@jinn/core';
import { type ChangeMeta, changeMeta, diffOf } from './change-report.ts';
import { editText, refuseBadTexts, textToEdit } from './edit-text.ts';
import { toSearchText } from './find-text.ts';
import { tellEdit } from './tell-edit.ts';
import { encodeContent } from './text-content.ts';

export const editFile = defineTool({
  name: 'edit_file',
  effect: 'write',
  description:
    'Replace old_text, which must be in the file exactly once, or pass replace_all. Line endings, blanks at line ends and the kind of quotes and dashes may differ.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File path relative to the working directory')),
      old_text: z.string().check(z.describe('Text to find, unique in the file')),
      new_text: z.string().check(z.describe('Text to put there, as it is')),
      dry_run: z._default(z.boolean().check(z.describe('Show the change as a diff, and write nothing')), false),
      fuzzy_indent: z._default(
        z.boolean().check(z.describe('Match any indentation, and indent new_text like it')),
        false,
      ),
      show_context: z._default(
        z.int().check(z.minimum(0), z.describe('Lines to show around the edit, changed ones marked with *')),
        0,
      ),
      replace_all: z._default(z.boolean().check(z.describe('Replace every occurrence')), false),
      expected_count: z.optional(
        z.int().check(z.minimum(1), z.describe('Replace every occurrence, if there are exactly so many')),
      ),
      if_version: z.optional(z.string().check(z.describe('Edit only if the file still has this version'))),
    }),
  examples: [
    { path: 'main.go', old_text: 'fmt.Println', new_text: 'log.Println' },
    { path: 'config.yaml', old_text: 'port: 8080', new_text: 'port: 9090', dry_run: true },
  ],
  hosting: { isBasic: true, tellsVersions: true },

  async run(args, ctx): Promise<ToolOutput> {
    const { path, dry_run, show_context, if_version } = args;
    refuseBadTexts(args, '');
    const result = await mutate(ctx, {
      operation: 'edit_file',
      targets: [{ path, ifVersion: if_version }],
      dryRun: dry_run,
      compute: ([file]) => {
        if (!file) throw new Error('one target gives one file');
        const { bytes, encoding } = textToEdit(file.content, args);
        const edited = editText(toSearchText(bytes), args);
        return { changes: [{ file, content: encodeContent({ bytes: edited.bytes, encoding }) }], found: edited };
      },
    });
    const edited = result.found;
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    const meta = { ...changeMeta(changed, result), match_type: edited.fuzzyMatch === undefined ? 'exact' : 'fuzzy' };
    const told = tellEdit(args, edited, show_context);
    const visualize = async () => {
      const { visualizeChanges } = await import('./visualize-changes.ts');
      const shown = visualizeChanges([changed], { dryRun: dry_run });
      return shown.type === 'diff' ? { ...shown, matchInfo: matchOf(meta) } : shown;
    };
    if (!dry_run) return { text: told, meta, visualize };
    const fuzzy = edited.fuzzyMatch === undefined ? '' : ' (fuzzy match)';
    return { text: `[dry-run] diff for ${path}:${fuzzy}\n${diffOf(changed)}`, meta, visualize };
  },
});

function matchOf({ match_type: strategy, first_changed_line: line }: ChangeMeta & { match_type: string }) {
  return { strategy, ...(line !== undefined && { lineNumber: line }) };
}
