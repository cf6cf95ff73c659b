import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type OpenFile, SNIFF_BYTES } from '@jinn/workspace';
import { decodedRemark, unifiedDiff } from './diff/unified-diff.ts';
import { isSvg, kindOfFile, type LineScan, notText, withScan } from './read/text-content.ts';

const MAX_DIFF_BYTES = 10 * 1024 * 1024;
const MAX_RESULT_CHARACTERS = 512 * 1024;
const NOT_EXACT = '[Some bytes here are not UTF-8 and are shown as \ufffd. The diff cannot be applied.]\n';

export const diffFiles = defineTool({
  name: 'diff_files',
  effect: 'read',
  description: 'Compare two text files, as a unified diff that git apply takes.',
  input: (z) =>
    z.strictObject({
      path_a: z.string().check(z.minLength(1), z.describe('Before')),
      path_b: z.string().check(z.minLength(1), z.describe('After')),
      context_lines: z._default(z.int().check(z.minimum(0), z.describe('Context')), 3),
    }),
  examples: [{ path_a: 'config.old.yaml', path_b: 'config.yaml' }],
  hosting: { isShown: true },

  async run({ path_a, path_b, context_lines }, ctx): Promise<ToolOutput> {
    const [before, after] = await Promise.all([path_a, path_b].map((path) => load(path, ctx)));
    if (!before || !after) throw new Error('two paths give two sides');
    const versions = { version_a: before.version, version_b: after.version };
    const limits = { context: context_lines, maxLength: MAX_RESULT_CHARACTERS };
    const { text, firstChangedLine, isExact } = unifiedDiff(before, after, limits);
    if (text === '') {
      const none = { type: 'none', message: 'the files are identical' } as const;
      return { text: 'files are identical', meta: { is_identical: true, ...versions }, visualize: () => none };
    }
    if (text === undefined) {
      throw new ToolError('resource_limit', 'the diff is longer than 512 KB', {
        suggestion: 'use fewer context_lines, or compare the parts that matter with read_file',
      });
    }
    const meta = { is_identical: false, first_changed_line: firstChangedLine, ...versions };
    const encoding = before.encoding ?? after.encoding;
    const remark = encoding !== undefined ? `${decodedRemark(encoding)}\n` : isExact ? '' : NOT_EXACT;
    return {
      text: remark + text,
      meta,
      visualize: async () => {
        const { visualizeDiff } = await import('./diff/visualize-changes.ts');
        return { ...visualizeDiff(after.path, text), title: `${before.path} → ${after.path}` };
      },
    };
  },
});

function load(path: string, ctx: ToolContext) {
  ctx.workspace.withFile(path, ({ size }) => rejectLarge(size, path));
  return withScan(ctx, path, {}, (file, scan) => toSide(file, scan, ctx, path));
}

function rejectLarge(size: number, path: string): void {
  if (size <= MAX_DIFF_BYTES) return;
  throw new ToolError('file_too_large', `file too large to compare: ${path} (max 10 MB)`, {
    suggestion: 'compare hashes with checksum_tree, or parts with read_file',
  });
}

function toSide(file: OpenFile, { slice, size, version, encoding }: LineScan, ctx: ToolContext, path: string) {
  const found = kindOfFile(slice(0, SNIFF_BYTES), path);
  // The name of an SVG does not keep its text from being compared.
  if (found.kind !== 'text' && !isSvg(found)) {
    throw notText(path, found, file.size);
  }
  ctx.session.reads.record(file);
  return { path: file.path, content: slice(0, size), version, encoding };
}
