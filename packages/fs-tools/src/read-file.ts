import { defineTool, type OpenFile, type Spill, type ToolContext, ToolError, type ToolOutput } from '@jinn/core';
import { isSvg, kindOfFile, nameKind, SNIFF_BYTES } from './file-kind.ts';
import { toImageOutput } from './image-output.ts';
import { CELLS, scanCells } from './notebook-cells.ts';
import { pageBytes, type ReadTextOptions, readText, type WindowArgs } from './read-text.ts';
import { type LineScan, scanLines } from './scan-lines.ts';

/** A log of a command is read whole, however much it may hold. */
const MAX_SPILL_BYTES = 64 * 1024 * 1024;

/** What an answer says below an outline. */
const OUTLINE = '[Outline of the file: symbol reads one of these, and start_line counts lines of the outline.]';

export interface ReadArgs extends WindowArgs {
  readonly path: string;
  readonly symbol?: string | undefined;
  readonly outline?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly include_checksum?: boolean | undefined;
  readonly if_version?: string | undefined;
  readonly large_image?: boolean | undefined;
}

export const readFile = defineTool({
  name: 'read_file',
  effect: 'read',
  description:
    'Read a file with line numbers. Long files come in windows: follow the last line of the answer. Images come back as image content, notebooks as cells.',
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.minLength(1), z.describe('File path relative to the working directory')),
      start_line: z.optional(z.int().check(z.minimum(0), z.describe('First line to return (default 1)'))),
      start_byte: z.optional(z.int().check(z.minimum(0), z.describe('First byte of start_line'))),
      end_line: z.optional(z.int().check(z.minimum(0), z.describe('Last line to return (default start_line + 1999)'))),
      symbol: z.optional(
        z.string().check(z.minLength(1), z.describe('Return this declaration, as Class/method or Class.method')),
      ),
      outline: z.optional(z.boolean().check(z.describe('List what the file declares instead'))),
      tail: z.optional(
        z.int().check(z.minimum(0), z.describe('Return the last N lines; overrides start_line and end_line')),
      ),
      line_numbers: z.optional(z.boolean().check(z.describe('Number the lines (default true)'))),
      truncate: z.optional(
        z
          .enum(['head', 'tail', 'middle', 'none', 'smart'])
          .check(z.describe('What to keep when the window is too long')),
      ),
      raw: z.optional(z.boolean().check(z.describe('SVG as text, notebook as JSON'))),
      include_checksum: z.optional(z.boolean().check(z.describe('Also give the SHA-256 of the whole file in meta'))),
      large_image: z.optional(z.boolean().check(z.describe('Send an image of 5 to 16 MB too'))),
      if_version: z.optional(z.string().check(z.describe('Answer "unchanged" while the file still has this version'))),
    }),
  examples: [
    { path: 'README.md' },
    { path: 'src/main.ts', start_line: 10, end_line: 20 },
    { path: 'src/main.ts', symbol: 'Server/close' },
    { path: 'src/main.ts', outline: true },
    { path: 'app.log', tail: 50 },
  ],
  forPrograms: ['include_checksum', 'large_image'],
  hosting: { isBasic: true, tellsVersions: true, opensSpills: true },

  async run(args, ctx) {
    if (args.outline) return showOutline(args, ctx);
    if (args.symbol === undefined) return read(args, ctx);
    const { findLines } = await import('./symbol-lines.ts');
    const { lines, symbol, version } = await findLines(ctx, args);
    const output = read({ ...args, ...lines, raw: true }, ctx);
    refuseOther(output, { version, path: args.path });
    return { ...output, meta: { ...output.meta, symbol } };
  },
});

/** Answers with what a file declares, in windows as if that were a file. */
async function showOutline(args: ReadArgs, ctx: ToolContext): Promise<ToolOutput> {
  const { scanOutline } = await import('./symbol-lines.ts');
  const scan = await scanOutline(ctx, args);
  const meta = { version: scan.version };
  if (args.if_version === scan.version) return { text: 'unchanged', meta: { ...meta, unchanged: true } };
  return toTextOutput(scan, { line_numbers: false, ...args }, meta, { ...boundsOf(ctx), remark: OUTLINE });
}

function read(args: ReadArgs, ctx: ToolContext): ToolOutput {
  const spilled = ctx.spill.open(args.path);
  if (!spilled) return ctx.workspace.withFile(args.path, (file) => readOpenFile(file, args, ctx));
  try {
    return readOpenFile(spilled, args, ctx, true);
  } finally {
    spilled.close();
  }
}

/** Refuses an answer about another version of the file than the one in which the symbol was found. */
function refuseOther({ meta }: ToolOutput, { version, path }: { version: string; path: string }): void {
  if ((meta as { version?: string }).version === version) return;
  throw new ToolError('conflict', `${path} changed while it was read`, { suggestion: 'try again' });
}

function readOpenFile(file: OpenFile, args: ReadArgs, ctx: ToolContext, isSpill = false): ToolOutput {
  const limit = isSpill ? { maxBytes: MAX_SPILL_BYTES } : {};
  const scan = scanLines(file, { checksum: args.include_checksum ?? false, ...limit });
  if (!isSpill) ctx.session.reads.record(file);
  const { version, sha256 } = scan;
  const meta = { version, ...(sha256 !== undefined && { sha256 }) };
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
        text: `[binary file: ${scan.size} bytes — use checksum_tree for integrity or skip content reads]`,
        meta: { ...meta, kind: nameKind(found) },
      };
    case 'text': {
      const cells = args.raw ? undefined : scanCells(scan, args.path);
      return toTextOutput(cells ?? scan, args, meta, { ...boundsOf(ctx, isSpill), remark: cells && CELLS });
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
  const lines = { total: scan.lines, shown };
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

/** A model pages by start_line. A spill file is on the disk already. */
function boundsOf(ctx: ToolContext, isSpill = false): { maxBytes: number; spill: Spill | undefined } {
  const spill = isSpill || ctx.maxResult !== undefined ? undefined : ctx.spill;
  return { maxBytes: pageBytes(ctx), spill };
}
