import { defineTool, runPart, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { editFile as editOne } from '@jinn/fs-tools/edit-file';
import { multiEdit } from '@jinn/fs-tools/multi-edit';
import { writeFile } from '@jinn/fs-tools/write-file';

const MAX_EDITS = 200;

export const editFile = defineTool({
  name: 'edit_file',
  effect: 'write',
  description:
    'Replace old_text, which must be in the file exactly once. Otherwise give more lines, or replace_all. edits makes several, in one file or many: all of them or none. An empty old_text makes a new file. Line endings, blanks at line ends and the kind of quotes and dashes may differ.',
  input: (z) =>
    z.extend(z.partial(editOne.input.build(z), { path: true, old_text: true, new_text: true }), {
      edits: z.optional(
        z
          .array(
            z.strictObject({
              path: z.optional(z.string().check(z.minLength(1), z.describe('By default path'))),
              old_text: z.string().check(z.describe('Text')),
              new_text: z.string().check(z.describe('Replacement')),
            }),
          )
          .check(z.maxLength(MAX_EDITS), z.describe('In order. Later ones see earlier ones')),
      ),
    }),
  examples: [
    { path: 'main.go', old_text: 'fmt.Println', new_text: 'log.Println' },
    {
      edits: [
        { path: 'a.go', old_text: 'foo', new_text: 'bar' },
        { path: 'b.go', old_text: 'baz', new_text: 'qux' },
      ],
    },
  ],
  ...(editOne.hosting && { hosting: editOne.hosting }),

  async run({ edits = [], ...args }, ctx): Promise<ToolOutput> {
    const { path, old_text, new_text, ...options } = args;
    if (edits.length === 0) {
      if (path === undefined || old_text === undefined || new_text === undefined) throw missing();
      const isNew = old_text === '' && options.cell === undefined && isMissingOrEmpty(path, ctx);
      if (!isNew) return runPart(editOne, { ...options, path, old_text, new_text }, ctx);
      return runPart(
        writeFile,
        { path, content: new_text, dry_run: options.dry_run, if_version: options.if_version },
        ctx,
      );
    }
    const { dry_run, fuzzy_indent, show_context, ...forOne } = options;
    const other = Object.entries({ old_text, new_text, ...forOne }).find(([, value]) => value)?.[0];
    if (other !== undefined) throw notWithEdits(other);
    const all = edits.map((edit, i) => {
      const file = edit.path ?? path;
      if (file === undefined) throw new ToolError('invalid_args', `edits[${i}] has no path`, { suggestion: 'name it' });
      return { ...edit, path: file, fuzzy_indent, show_context };
    });
    return runPart(multiEdit, { edits: all, dry_run }, ctx);
  },
});

function isMissingOrEmpty(path: string, { workspace }: ToolContext): boolean {
  try {
    return workspace.withFile(path, ({ size }) => size === 0);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found') return true;
    throw error;
  }
}

function missing(): ToolError {
  return new ToolError('invalid_args', 'path, old_text and new_text are needed, or edits', {
    suggestion: 'send {"path":"a.ts","old_text":"…","new_text":"…"}',
  });
}

function notWithEdits(name: string): ToolError {
  return new ToolError('invalid_args', `${name} does not go with edits`, {
    suggestion: 'put the text into edits, or make this edit in a call of its own',
  });
}
