import { defineTool, mutate, type ToolOutput } from '@jinn/core';
import { changeMeta, diffOf } from './change-report.ts';
import { refuseLoneSurrogates } from './text-content.ts';

export const writeFile = defineTool({
  name: 'write_file',
  effect: 'write',
  description:
    'Write a whole file: make it, with missing directories, or replace what it holds. Atomic; undo restores what was there.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File path relative to the working directory')),
      content: z.string().check(z.describe('The whole new content, written as it is')),
      dry_run: z._default(z.boolean().check(z.describe('Show what would change, and write nothing')), false),
      if_version: z.optional(
        z.string().check(z.describe('Write only if the file still has this version, as an earlier answer gave it')),
      ),
    }),
  examples: [
    { path: 'hello.txt', content: 'Hello, world.\n' },
    { path: 'hello.txt', content: 'new content\n', dry_run: true },
  ],
  hosting: { isBasic: true, tellsVersions: true },

  async run({ path, content, dry_run, if_version }, ctx): Promise<ToolOutput> {
    refuseLoneSurrogates('content', content);
    const bytes = Buffer.from(content);
    const result = await mutate(ctx, {
      operation: 'write_file',
      targets: [{ path, ifVersion: if_version }],
      dryRun: dry_run,
      compute: (files) => ({ changes: files.map((file) => ({ file, content: bytes })), found: undefined }),
    });
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    const meta = changeMeta(changed, result);
    if (!dry_run)
      return { text: `wrote ${bytes.length} bytes to ${path}${changed.changed ? '' : ' (no changes)'}`, meta };
    if (!changed.changed) return { text: '[dry-run] no changes', meta };
    if (!changed.file.content) return { text: `[dry-run] would create ${path} (${bytes.length} bytes)`, meta };
    return { text: `[dry-run] diff for ${path}:\n${diffOf(changed)}`, meta };
  },
});
