import type { Tool, ToolContext, ToolOutput } from '@jinn/core';
import { firstWhere } from '@jinn/core/text/counted';
import { lineOf } from '../buffers/large-result.ts';
import { countFitting, fitJson, jsonBytes } from './fit-json.ts';

export interface HostFitting {
  /** True for a tool whose argument `offset` points to the next page of its list. */
  readonly isPaged: boolean;
  /** The most bytes of the JSON of an answer for a host without a limit, or undefined for any number. */
  readonly most?: number;
  /** Keeps a whole result in a buffer and returns its reference, or undefined if it cannot be kept. */
  keep?(ctx: ToolContext, result: object, args: object): string | undefined;
}

interface FittedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: ToolContext;
  readonly fitting: HostFitting;
}

type Members = Readonly<Record<string, unknown>>;

/** Cuts the data of an answer to `maxResult` bytes of JSON. */
export function fitData(output: ToolOutput, maxResult: number, call: FittedCall): ToolOutput {
  const data = output.data as Members;
  const [key, largest] = largestMember(data);
  const fitted = Array.isArray(largest)
    ? fitList({ data, key, items: largest, maxBytes: maxResult }, call)
    : fitParts(data, maxResult, call);
  // The members next to the list may be too large too.
  return { ...output, data: fitJson(fitted, maxResult) as object, truncated: true };
}

function largestMember(data: Members): [string, unknown] {
  const bySize = Object.entries(data).map(([key, value]) => ({ key, value, bytes: jsonBytes(value) }));
  bySize.sort((a, b) => b.bytes - a.bytes);
  const [{ key, value } = { key: '', value: undefined }] = bySize;
  return [key, value];
}

interface LongList {
  readonly data: Members;
  readonly key: string;
  readonly items: readonly unknown[];
  readonly maxBytes: number;
}

function fitList({ data, key, items, maxBytes }: LongList, { tool, args, ctx, fitting }: FittedCall): object {
  const { [key]: _, overflow: before, ...rest } = data as Members & { overflow?: Members };
  // The list comes first, so that the lines of its items in the buffer are known.
  const known = referenceIn(data);
  const reference = known === undefined ? fitting.keep?.(ctx, { [key]: items, ...rest }, args) : resultIn(known);
  const offset = Number(args['offset'] ?? 0);
  const total = Number(before?.['total'] ?? data['total'] ?? offset + items.length);
  const counts = fitJson({ ...before }, maxBytes / 4) as Members;
  const build = (shown: readonly unknown[], whole: number) => {
    const next = Number(before?.['next_offset'] ?? offset + items.length) - (items.length - shown.length);
    const hasPage = fitting.isPaged && next < total;
    const { next_offset: __, ...others } = counts;
    return {
      ...data,
      [key]: shown,
      ...(reference !== undefined && { output_id: reference }),
      overflow: {
        ...others,
        shown: whole,
        total,
        hint: hintOf({ tool, items, whole, shown: shown.length, total, reference, next: hasPage ? next : undefined }),
        ...(hasPage && { next_offset: next }),
      },
    };
  };
  const tooMany = (n: number) => jsonBytes(build(items.slice(0, n + 1), n + 1)) > maxBytes;
  const count = firstWhere(countFitting(items, maxBytes), tooMany);
  if (count > 0) return build(items.slice(0, count), count);
  const room = maxBytes - jsonBytes(build([''], 0));
  return build([fitJson(items[0], room)], 0);
}

interface Hint {
  readonly tool: Tool;
  readonly items: readonly unknown[];
  readonly whole: number;
  readonly shown: number;
  readonly total: number;
  readonly reference: string | undefined;
  readonly next: number | undefined;
}

function hintOf({ tool, items, whole, shown, total, reference, next }: Hint): string {
  const rest = reference && { path: reference, start_line: lineOf(items, whole) };
  const place = whole < shown && reference ? linesOf(items[0]) : undefined;
  const call = rest && `read_file with ${JSON.stringify(place ?? rest)}`;
  const page = next === undefined ? undefined : `Call ${tool.name} again with offset: ${next} for the next page`;
  if (whole < shown) return [`The first item is cut: ${call ?? 'ask for less of it'}`, page].filter(Boolean).join('. ');
  const less = tool.effect === 'read' ? ': ask for less, with a narrower path or pattern' : '';
  return page ?? (call ? `Call ${call} to continue` : `${whole} of ${total} fit into the answer${less}`);
}

function linesOf(item: unknown): object | undefined {
  const { file: path, body, start_line, end_line } = item as Members;
  return typeof path === 'string' && typeof body === 'string' ? { path, start_line, end_line } : undefined;
}

function fitParts(data: Members, maxBytes: number, { args, ctx, fitting }: FittedCall): object {
  const known = referenceIn(data);
  const reference = known ?? fitting.keep?.(ctx, data, args);
  if (known !== undefined || reference === undefined) return fitJson(data, maxBytes) as object;
  const hint = `A part is cut. Call read_file with ${JSON.stringify({ path: reference })} to see all`;
  const told = { output_id: reference, overflow: { hint } };
  return { ...(fitJson(data, maxBytes - jsonBytes(told)) as object), ...told };
}

function resultIn(reference: string): string | undefined {
  return reference.startsWith('@tool_') ? reference : undefined;
}

function referenceIn({ output_id: reference }: Members): string | undefined {
  return typeof reference === 'string' ? reference : undefined;
}
