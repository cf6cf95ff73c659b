import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type LineScan, scanLines } from '@jinn/fs-tools/read/text-content';
import type { OpenFile } from '@jinn/workspace';
import { buffersOf, type OpenBuffer, parseReference } from './buffers/buffers.ts';
import { keepText } from './buffers/large-result.ts';
import { navigate } from './sections/navigate.ts';
import { decodeText, rejectBinary, type WindowRange, windowOf } from './text/text-window.ts';

/** The output of a command may be as large as a command may write. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The most text of an answer, in bytes. 200 lines are longer only if they are very long lines. */
const MOST_SHOWN_BYTES = 200_000;
/** The room for what is next to the content in an answer, with an escaped hint of 300 characters. */
const FRAME_BYTES = 800;

interface ReadArgs {
  readonly path: string;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly json_path?: string | undefined;
  readonly heading?: string | undefined;
  readonly toml_key?: string | undefined;
}

const NAVIGATION = ['json_path', 'heading', 'toml_key'] as const;

export const readFile = defineTool({
  name: 'read_file',
  effect: 'read',
  description:
    'Read a file, or a buffer such as @cmd_1a2b3c4d. Without a range, the first 200 lines of a longer file, with overflow and a file_id for queries. With start_line and end_line, exactly these lines.',
  input: (z) =>
    z.strictObject({
      path: z
        .string()
        .check(z.minLength(1), z.describe('File path relative to the project root, or a buffer reference')),
      start_line: z.optional(z.int().check(z.describe('First line to return (1-indexed)'))),
      end_line: z.optional(z.int().check(z.describe('Last line to return (1-indexed, inclusive)'))),
      json_path: z.optional(z.string().check(z.describe('Only this part of JSON: $.items[0].name, [*], [0:10]'))),
      heading: z.optional(z.string().check(z.describe('Only this section of Markdown'))),
      toml_key: z.optional(z.string().check(z.describe('Only this key or table of TOML or YAML: a.b'))),
    }),
  output: {
    type: 'object',
    properties: {
      content: { type: 'string' },
      total_lines: { type: 'integer' },
      start_line: { type: 'integer' },
      end_line: { type: 'integer' },
      file_id: { type: 'string' },
      output_id: { type: 'string' },
      refreshed: { type: 'boolean' },
      running: { type: 'boolean' },
      overflow: { type: 'object' },
    },
    required: ['content', 'total_lines'],
  },
  examples: [{ path: 'README.md' }, { path: 'src/main.ts', start_line: 10, end_line: 25 }],
  hosting: { tellsVersions: 'always', maxResult: MOST_SHOWN_BYTES },

  run(args, ctx) {
    const range = checkArgs(args);
    const path = referenceOfSpill(args.path, ctx) ?? args.path;
    if (parseReference(path)) {
      return buffersOf(ctx).read(ctx, path, (buffer) => readBuffer(buffer, { ...args, path }, range, ctx));
    }
    rejectBrokenReference(path);
    return ctx.workspace.withFile(path, (file) => readOpenFile(file, args, range, ctx));
  },
});

function referenceOfSpill(path: string, ctx: ToolContext): string | undefined {
  const file = ctx.spill.open(path);
  if (!file) return undefined;
  file.close();
  const id = buffersOf(ctx).add(ctx, { kind: 'tool', output: path });
  return id && `@${id}`;
}

function checkArgs(args: ReadArgs): WindowRange | undefined {
  const { start_line: start, end_line: end } = args;
  const given = NAVIGATION.filter((name) => args[name] !== undefined);
  const hasRange = start !== undefined || end !== undefined;
  if (given.length > 1 || (given.length === 1 && hasRange)) {
    const names = [...given, ...(hasRange ? ['start_line/end_line'] : [])];
    throw new ToolError('invalid_args', `${names.join(' and ')} do not go together`, {
      suggestion: `pass one of them: {"path":${JSON.stringify(args.path)},"${given[0]}":"…"}`,
    });
  }
  if (!hasRange) return undefined;
  if ((start ?? 1) < 1 || (end ?? start ?? 1) < (start ?? 1)) {
    throw new ToolError('invalid_args', `invalid line range: start_line=${start ?? 1}, end_line=${end ?? 'none'}`, {
      suggestion: 'lines are 1-indexed, and end_line is not below start_line',
    });
  }
  return { start, end };
}

function readOpenFile(file: OpenFile, args: ReadArgs, range: WindowRange | undefined, ctx: ToolContext): ToolOutput {
  const scan = scanFile(file, args.path);
  ctx.session.reads.record(file, scan.content);
  const meta = { version: scan.version };
  const data = readPart(scan, { args, range, ctx, isBuffer: false });
  if (!('overflow' in data) || 'output_id' in data) return { data, meta, ...toBounds(data) };
  const id = buffersOf(ctx).addFile(ctx, file.path, scan.version);
  return { data: { ...data, ...(id !== undefined && { file_id: `@${id}` }) }, meta, ...toBounds(data) };
}

/** Reads a buffer. A part of it is never put into a buffer of its own: its lines keep their numbers. */
function readBuffer(
  { reference, record, file }: OpenBuffer,
  args: ReadArgs,
  range: WindowRange | undefined,
  ctx: ToolContext,
) {
  const scan = scanFile(file, args.path);
  const buffers = buffersOf(ctx);
  const isFollowed = record.path !== undefined;
  if (isFollowed) ctx.session.reads.record(file, scan.content);
  const refreshed = isFollowed && record.version !== scan.version;
  if (refreshed) buffers.update(ctx, reference.id, { ...record, version: scan.version });
  const running = buffers.jobOf(reference.id)?.isRunning ?? false;
  const data = readPart(scan, { args, range, ctx, isBuffer: !isFollowed });
  return {
    data: { ...data, ...(refreshed && { refreshed }), ...(running && { running }) },
    ...(isFollowed && { meta: { version: scan.version } }),
    ...toBounds(data),
  };
}

function scanFile(file: OpenFile, path: string): LineScan {
  if (file.size <= MAX_BYTES) return scanLines(file, { maxBytes: MAX_BYTES });
  throw new ToolError('file_too_large', `${path} is larger than 64 MiB (${file.size} bytes)`, {
    suggestion: 'find the lines with search_pattern, and cut them out with run_command, such as sed -n 1,200p',
  });
}

function toBounds(data: object): Pick<ToolOutput, 'truncated'> {
  return 'overflow' in data ? { truncated: true } : {};
}

interface Part {
  readonly args: ReadArgs;
  readonly range: WindowRange | undefined;
  readonly ctx: ToolContext;
  readonly isBuffer: boolean;
}

function readPart(scan: LineScan, { args, range, ctx, isBuffer }: Part): object {
  const { path } = args;
  const { maxResult } = ctx;
  const room = maxResult === undefined ? undefined : maxResult - Math.min(FRAME_BYTES, Math.ceil(maxResult / 2));
  rejectBinary(scan, path);
  const wanted = NAVIGATION.find((name) => args[name] !== undefined);
  if (range && (range.start ?? 1) > scan.lines)
    ctx.warn(`${path} has ${scan.lines} lines: line ${range.start ?? 1} is after its last line`);
  if (wanted === undefined) return { ...windowOf(scan, { path, range, room }) };
  const text = decodeText(scan.slice(0, scan.size), path);
  const keep = isBuffer ? undefined : (chunks: Iterable<Uint8Array>) => keepText(ctx, chunks);
  return { ...navigate(text, { by: wanted, to: args[wanted] ?? '', path, room, keep }), total_lines: scan.lines };
}

function rejectBrokenReference(path: string): void {
  if (!/^["'`\s]*@(file|cmd|tool|bg|ack)_[^/]*$/.test(path)) return;
  throw new ToolError('not_found', `not a buffer reference: ${path.slice(0, 60)}`, {
    suggestion: 'a reference is @file_, @cmd_, @tool_ or @bg_ and 8 hexadecimal digits, as an earlier answer gave it',
  });
}
