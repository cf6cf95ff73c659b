import { type ChangedFile, defineTool, mutate, type ToolOutput } from '@jinn/core';
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
    const text = dry_run ? tellDryRun(changed, path, bytes.length) : tell(changed, path, bytes.length);
    return {
      text,
      meta,
      visualize: async () => {
        const { visualizeWritten } = await import('./visualize-changes.ts');
        return visualizeWritten(changed, content, { dryRun: dry_run });
      },
    };
  },
});

function tell({ changed }: ChangedFile, path: string, bytes: number): string {
  return `wrote ${bytes} bytes to ${path}${changed ? '' : ' (no changes)'}`;
}

function tellDryRun(changed: ChangedFile, path: string, bytes: number): string {
  if (!changed.changed) return '[dry-run] no changes';
  if (!changed.file.content) return `[dry-run] would create ${path} (${bytes} bytes)`;
  return `[dry-run] diff for ${path}:\n${diffOf(changed)}`;
}
