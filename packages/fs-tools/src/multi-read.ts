import { defineTool, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { type OpenFile, SNIFF_BYTES } from '@jinn/workspace';
import { CELLS, pageBytes, readText, scanCells, type TextRead, type WindowArgs } from './read/read-text.ts';
import { isSvg, kindOfFile, type LineScan, nameKind, withScan } from './read/text-content.ts';

const MAX_TOTAL_BYTES = 512 * 1024;
const MIN_ROOM_BYTES = 1024;
const HEADER_BYTES = 200;

interface FileError {
  readonly error: string;
  readonly error_code: string;
  readonly suggestion?: string;
}

export const multiRead = defineTool({
  name: 'multi_read',
  effect: 'read',
  description: 'Read up to 20 text files in one call. Files that cannot be read are reported.',
  input: (z) =>
    z.strictObject({
      files: z
        .array(
          z.strictObject({
            path: z.string().check(z.minLength(1), z.describe('File')),
            start_line: z.optional(z.int().check(z.minimum(0), z.describe('From 1'))),
            end_line: z.optional(z.int().check(z.minimum(0), z.describe('By default start_line + 1999'))),
            tail: z.optional(z.int().check(z.minimum(0), z.describe('Only the last N lines'))),
            line_numbers: z.optional(z.boolean().check(z.describe('True by default'))),
            truncate: z.optional(
              z.enum(['head', 'tail', 'middle', 'none', 'smart']).check(z.describe('What to keep of too much')),
            ),
          }),
        )
        .check(z.minLength(1), z.maxLength(20), z.describe('Files')),
    }),
  output: {
    type: 'object',
    properties: { files: { type: 'object' }, errors: { type: 'object' }, truncation: { type: 'object' } },
    required: ['files', 'errors', 'truncation'],
  },
  hosting: { unlisted: ['line_numbers', 'truncate'] },
  examples: [{ files: [{ path: 'README.md' }, { path: 'package.json', tail: 5 }] }],

  async run({ files: entries }, ctx) {
    // Null prototypes: a file may be called __proto__.
    const files: Record<string, string> = Object.create(null);
    const errors: Record<string, FileError> = Object.create(null);
    const truncation: Record<string, object> = Object.create(null);
    const versions: Record<string, string> = Object.create(null);
    const blocks: string[] = [];
    const { maxResult } = ctx;
    const wanted = maxResult === undefined ? lastOfEach(entries, ctx) : entries;
    const total =
      maxResult === undefined ? MAX_TOTAL_BYTES : Math.max(MIN_ROOM_BYTES, maxResult - wanted.length * HEADER_BYTES);
    let room = total;
    for (const entry of wanted) {
      const { path } = entry;
      try {
        const { read, version } = await withScan(ctx, path, {}, (file, scan) =>
          readEntry({ file, scan }, entry, { room, total }, ctx),
        );
        files[path] = read.text;
        versions[path] = version;
        if (read.truncation) truncation[path] = read.truncation;
        room -= Buffer.byteLength(read.text);
        blocks.push(`[${path}${ctx.session.endsWithCall ? `, version ${version}` : ''}]\n${read.text}`);
      } catch (error) {
        const { suggestPath } = await import('./read/missing-file.ts');
        const failed = toFileError(await suggestPath(error, path, ctx));
        errors[path] = failed;
        const reason = [failed.error, failed.suggestion].filter(Boolean).join('; ');
        blocks.push(`[${path} was not read: ${failed.error_code}: ${reason}]`);
      }
    }
    if (Object.keys(files).length === 0) throw allFailed(errors);
    const meta = { versions };
    if (maxResult === undefined) return { data: { files, errors, truncation }, meta };
    // For a model: each file as it is, below its path, and its version if no session knows it.
    return { text: blocks.map((block) => (block.endsWith('\n') ? block : `${block}\n`)).join('\n'), meta };
  },
});

function lastOfEach<T extends { readonly path: string }>(entries: readonly T[], { warn }: ToolContext): readonly T[] {
  const last = new Map(entries.map((entry) => [entry.path, entry]));
  const several = [...last].filter(([path, entry]) => entries.some((one) => one.path === path && one !== entry));
  if (several.length > 0) {
    warn(`named several times, and read as the last entry says: ${several.map(([path]) => path).join(', ')}`);
  }
  return [...last.values()];
}

function readEntry(
  { file, scan }: { readonly file: OpenFile; readonly scan: LineScan },
  args: WindowArgs & { path: string },
  { room, total }: { room: number; total: number },
  ctx: ToolContext,
) {
  if (room < MIN_ROOM_BYTES) {
    const size = `${Math.ceil(total / 1024)} KB`;
    throw new ToolError('resource_limit', `the answer is full: the files before this one take ${size}`, {
      suggestion: 'read this file in a call of its own',
    });
  }
  const found = kindOfFile(scan.slice(0, SNIFF_BYTES), args.path);
  const { kind } = found;
  if (kind !== 'text' && !isSvg(found)) {
    throw new ToolError('binary_file', `${nameKind(found)} file: ${args.path} (${counted(file.size, 'byte')})`, {
      suggestion: kind === 'image' ? 'use read_file to see an image' : 'use stat_file for what it is',
    });
  }
  ctx.session.reads.record(file, scan.content);
  const cells = scanCells(scan, args.path);
  const read: TextRead = readText(cells ?? scan, args, {
    path: args.path,
    remark: [scan.encoding && `[Encoding: ${scan.encoding}]`, cells && CELLS].filter(Boolean).join('\n') || undefined,
    maxBytes: Math.min(pageBytes(ctx), pageBytes({ maxResult: room })),
    spill: ctx.maxResult === undefined && !file.isSpilled ? ctx.spill : undefined,
  });
  return { read, version: scan.version };
}

function toFileError(error: unknown): FileError {
  if (!(error instanceof ToolError)) throw error;
  const { message, code, suggestion } = error;
  return { error: message, error_code: code, ...(suggestion !== undefined && { suggestion }) };
}

function allFailed(errors: Record<string, FileError>): ToolError {
  const reasons = Object.values(errors).map(({ error }) => error);
  const codes = new Set(Object.values(errors).map(({ error_code }) => error_code));
  const code = codes.size === 1 ? (Object.values(errors)[0]?.error_code as ToolError['code']) : 'invalid_args';
  const what = reasons.length === 1 ? 'the file failed' : `all ${reasons.length} files failed`;
  return new ToolError(code, `${what}: ${reasons.join('; ')}`, { suggestion: 'use list_dir to see what is there' });
}
