import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { counted } from '@jinn/core/text/counted';
import { type OpenFile, SNIFF_BYTES, type Spill } from '@jinn/workspace';
import { toImageOutput } from './read/image-output.ts';
import { CELLS, pageBytes, type ReadArgs, type ReadTextOptions, readText, scanCells } from './read/read-text.ts';
import { isSvg, kindOfFile, type LineScan, nameKind, withScan } from './read/text-content.ts';

/** A log of a command is read whole, however long it is. */
const MAX_SPILL_BYTES = 64 * 1024 * 1024;

const OUTLINE = '[Outline of the file: symbol reads one of these, and start_line counts lines of the outline.]';

export const readFile = defineTool({
  name: 'read_file',
  effect: 'read',
  description:
    'Read a file with line numbers. A long one comes in windows: follow the last line of the answer. Images come as images, notebooks as cells.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File')),
      start_line: z.optional(z.int().check(z.minimum(0), z.describe('From 1'))),
      start_byte: z.optional(z.int().check(z.minimum(0), z.describe('Byte of start_line'))),
      end_line: z.optional(z.int().check(z.minimum(0), z.describe('By default start_line + 1999'))),
      symbol: z.optional(
        z.string().check(z.minLength(1), z.describe('Only this declaration: name, Class/method or Class.method')),
      ),
      outline: z.optional(z.boolean().check(z.describe('List its declarations instead'))),
      tail: z.optional(z.int().check(z.minimum(0), z.describe('Only the last N lines'))),
      line_numbers: z.optional(z.boolean().check(z.describe('True by default'))),
      truncate: z.optional(
        z.enum(['head', 'tail', 'middle', 'none', 'smart']).check(z.describe('What to keep of too much')),
      ),
      raw: z.optional(z.boolean().check(z.describe('SVG as text, notebook as JSON'))),
      include_checksum: z.optional(z.boolean().check(z.describe('Give the SHA-256 of the file in meta too'))),
      large_image: z.optional(z.boolean().check(z.describe('Send an image of 5 to 16 MB too'))),
      if_version: z.optional(z.string().check(z.describe('Answer "unchanged" at this version'))),
      encoding: z.optional(z.string().check(z.minLength(1), z.describe('Its encoding, if it is detected wrongly'))),
    }),
  examples: [
    { path: 'README.md' },
    { path: 'src/main.ts', start_line: 10, end_line: 20 },
    { path: 'src/main.ts', symbol: 'Server/close' },
    { path: 'src/main.ts', outline: true },
    { path: 'app.log', tail: 50 },
  ],
  forPrograms: ['include_checksum', 'large_image'],
  hosting: {
    isBasic: true,
    tellsVersions: 'without-session',
    readsSpill: true,
    unlisted: ['line_numbers', 'truncate', 'raw', 'if_version', 'encoding'],
  },

  async run(args, ctx) {
    try {
      return await answer(args, ctx);
    } catch (error) {
      const { suggestPath } = await import('./read/missing-file.ts');
      throw await suggestPath(error, args.path, ctx);
    }
  },
});

async function answer(args: ReadArgs, ctx: ToolContext): Promise<ToolOutput> {
  if (args.outline) return showOutline(args, ctx);
  if (args.symbol === undefined) return read(args, ctx);
  const { findLines } = await import('./read/symbol-lines.ts');
  const { lines, symbol, version } = await findLines(ctx, args);
  const output = await read({ ...args, ...lines, raw: true }, ctx);
  rejectOtherVersion(output, { version, path: args.path });
  return { ...output, meta: { ...output.meta, symbol } };
}

async function showOutline(args: ReadArgs, ctx: ToolContext): Promise<ToolOutput> {
  const { scanOutline } = await import('./read/symbol-lines.ts');
  const scan = await scanOutline(ctx, args);
  const meta = { version: scan.version };
  if (args.if_version === scan.version) return { text: 'unchanged', meta: { ...meta, unchanged: true } };
  return toTextOutput(scan, { line_numbers: false, ...args }, meta, { ...boundsOf(ctx), remark: OUTLINE });
}

function read(args: ReadArgs, ctx: ToolContext): Promise<ToolOutput> {
  const options = { checksum: args.include_checksum ?? false, encoding: args.encoding };
  return withScan(ctx, args.path, { ...options, spillBytes: MAX_SPILL_BYTES }, (file, scan) =>
    readOpenFile(file, scan, args, ctx),
  );
}

function rejectOtherVersion({ meta }: ToolOutput, { version, path }: { version: string; path: string }): void {
  if ((meta as { version?: string }).version === version) return;
  throw new ToolError('conflict', `${path} changed while it was read`, { suggestion: 'try again' });
}

function readOpenFile(file: OpenFile, scan: LineScan, args: ReadArgs, ctx: ToolContext): ToolOutput {
  if (!file.isSpilled) ctx.session.reads.record(file, scan.content);
  const { version, sha256, encoding } = scan;
  const meta = { version, ...(sha256 !== undefined && { sha256 }), ...(encoding !== undefined && { encoding }) };
  if (args.if_version === version) return { text: 'unchanged', meta: { ...meta, unchanged: true } };
  const kind = kindOfFile(scan.slice(0, SNIFF_BYTES), args.path);
  const isForModel = ctx.maxResult !== undefined;
  const found = isSvg(kind) && (isForModel || asksForText(args)) ? ({ kind: 'text' } as const) : kind;
  switch (found.kind) {
    case 'image':
      return toImageOutput(scan, { mimeType: found.mimeType, isForModel, isLarge: args.large_image ?? false, meta });
    case 'pdf':
      throw new ToolError('binary_file', `PDF content is not readable as text: ${args.path}`, {
        suggestion: 'convert the PDF to text first (pdftotext, pdftk, or a cloud OCR service) and read the text file',
      });
    case 'binary':
      return {
        text: `[binary file: ${counted(scan.size, 'byte')} — use checksum_tree for integrity or skip content reads]`,
        meta: { ...meta, kind: nameKind(found) },
      };
    case 'text': {
      const cells = args.raw ? undefined : scanCells(scan, args.path);
      const told = isForModel && encoding !== undefined ? `[Encoding: ${encoding}]` : undefined;
      const remark = [told, cells && CELLS].filter((line) => line !== undefined).join('\n') || undefined;
      return toTextOutput(cells ?? scan, args, meta, { ...boundsOf(ctx, file.isSpilled), remark });
    }
  }
}

function toTextOutput(
  scan: LineScan,
  args: ReadArgs,
  meta: object,
  options: Omit<ReadTextOptions, 'path'>,
): ToolOutput {
  const { text, shown, truncation, cutLine } = readText(scan, args, { path: args.path, ...options });
  const isLastOpen = scan.endsOpen && shown.at(-1)?.last === scan.lines;
  const lines = { total: scan.lines, shown, ...(isLastOpen && { last_line_open: true }) };
  return {
    text,
    ...((truncation ?? cutLine) && { truncated: true }),
    meta: { ...meta, lines, ...(truncation && { truncation }), ...(cutLine && { cut_line: cutLine }) },
  };
}

function asksForText({ raw, start_line, start_byte, end_line, tail, line_numbers, truncate }: ReadArgs): boolean {
  return (
    raw === true ||
    [start_line, start_byte, end_line, tail, line_numbers, truncate].some((value) => value !== undefined)
  );
}

/** A model gets no spill, since it pages by start_line, and neither does a spill file, which is on the disk already. */
function boundsOf(ctx: ToolContext, isKept = false): { maxBytes: number; spill: Spill | undefined } {
  const spill = isKept || ctx.maxResult !== undefined ? undefined : ctx.spill;
  return { maxBytes: pageBytes(ctx), spill };
}
