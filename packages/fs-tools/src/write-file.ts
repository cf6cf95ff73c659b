import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { counted } from '@jinn/core/text/counted';
import { type ChangedFile, mutate } from '@jinn/workspace';
import { changeMeta, diffOf } from './diff/change-report.ts';
import { planWhole } from './edit/whole-file.ts';
import { rejectLoneSurrogates } from './read/text-content.ts';

export const writeFile = defineTool({
  name: 'write_file',
  effect: 'write',
  description: 'Write a whole file: make it, with missing directories, or replace what it holds.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      content: z.string().check(z.describe('Content')),
      dry_run: z._default(z.boolean().check(z.describe('Preview')), false),
      if_version: z.optional(z.string().check(z.describe('Only if it still has this version'))),
      encoding: z.optional(
        z.string().check(z.minLength(1), z.describe('By default that of the file, or utf-8 for a new one')),
      ),
      style: z.optional(
        z.enum(['project']).check(z.describe('Line ends of a new file as .editorconfig and .gitattributes want')),
      ),
    }),
  examples: [
    { path: 'hello.txt', content: 'Hello, world.\n' },
    { path: 'hello.txt', content: 'new content\n', dry_run: true },
  ],
  hosting: {
    isBasic: true,
    isShown: true,
    tellsVersions: 'without-session',
    unlisted: ['if_version', 'encoding', 'style'],
  },

  async run({ path, content: given, dry_run, if_version, encoding, style }, ctx): Promise<ToolOutput> {
    rejectLoneSurrogates('content', given);
    let content = given;
    const result = await mutate(ctx, {
      operation: 'write_file',
      targets: [{ path, ifVersion: if_version }],
      dryRun: dry_run,
      compute: async (files) => {
        const [file] = files;
        if (file && !file.content) {
          const { styleNewText } = await import('./edit/project-style.ts');
          content = styleNewText(file.path, given, { ctx, isAsked: style === 'project' });
        }
        return planWhole(files, Buffer.from(content), ctx, encoding);
      },
    });
    const [changed] = result.files;
    if (!changed) throw new Error('one target gives one change');
    const written = result.extra;
    const meta = { ...(await changeMeta(changed, result, ctx)), ...(written !== undefined && { encoding: written }) };
    const size = counted(changed.after?.length ?? Buffer.byteLength(content), 'byte');
    const done = [written === undefined ? '' : ` in ${written}`, changed.changed ? '' : ' (no changes)'].join('');
    const text = dry_run ? await preview(ctx, changed, { path, size }) : `wrote ${size} to ${path}${done}`;
    return {
      text,
      meta,
      visualize: async () => {
        const { visualizeWritten } = await import('./diff/visualize-changes.ts');
        return visualizeWritten(changed, content, { dryRun: dry_run });
      },
    };
  },
});

async function preview(
  ctx: ToolContext,
  changed: ChangedFile,
  { path, size }: { readonly path: string; readonly size: string },
): Promise<string> {
  if (!changed.changed) return '[dry-run] no changes';
  if (!changed.file.content) return `[dry-run] would create ${path} (${size})`;
  return `[dry-run] diff for ${path}:\n${await diffOf(changed, ctx)}`;
}
