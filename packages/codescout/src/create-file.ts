import { defineTool, type ToolOutput } from '@jinn/core';
import { changeMeta } from '@jinn/fs-tools/diff/change-report';
import { planWhole } from '@jinn/fs-tools/edit/whole-file';
import { rejectLoneSurrogates } from '@jinn/fs-tools/read/text-content';
import { mutate } from '@jinn/workspace';
import { rejectReference } from './buffers/buffers.ts';
import { warnOfEscapes } from './text/escaped-text.ts';

export const createFile = defineTool({
  name: 'create_file',
  effect: 'write',
  description:
    'Create a file with missing directories, or overwrite it without warning. To change a part of a file, use edit_file.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File path relative to the project root')),
      content: z.string().check(z.describe('Full file content to write')),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  examples: [{ path: 'src/limits.rs', content: 'pub const MAX: usize = 64;\n' }],

  async run({ path, content, if_version }, ctx): Promise<ToolOutput> {
    rejectReference(ctx, path);
    rejectLoneSurrogates('content', content);
    warnOfEscapes(ctx, 'content', content);
    const bytes = Buffer.from(content);
    const result = await mutate(ctx, {
      operation: 'create_file',
      targets: [{ path, ifVersion: if_version }],
      compute: (files) => planWhole(files, bytes, ctx),
    });
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    return { text: '"ok"', meta: await changeMeta(changed, result, ctx) };
  },
});
