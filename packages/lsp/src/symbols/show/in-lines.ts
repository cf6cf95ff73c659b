import { wrapRun, type ZodTool } from '@jinn/core';
import { titleOf } from '@jinn/syntax';
import type { Overflow } from './paging.ts';
import type { ShownSymbol } from './show-symbol.ts';

interface Listing {
  readonly symbols?: readonly (ShownSymbol & { readonly file?: string })[];
  readonly files?: readonly { readonly file: string; readonly symbols: readonly ShownSymbol[] }[];
  readonly hint?: string;
  readonly overflow?: Overflow;
}

/** Makes a tool answer with a line for each symbol, as an outline has it. The data is in `meta` then. */
export function inLines(tool: ZodTool): ZodTool {
  return wrapRun(tool, async (run, _, ctx) => {
    const output = await run(ctx);
    const text = output.data && toLines(output.data);
    return text === undefined ? output : { ...output, text, meta: { ...output.meta, data: output.data } };
  });
}

function toLines({ symbols, files, hint, overflow }: Listing): string | undefined {
  if (!Array.isArray(symbols) && !files?.every((file) => Array.isArray(file.symbols))) return undefined;
  const lines = [
    ...(symbols ?? []).flatMap((symbol) => showSymbol(symbol, 0)),
    ...(files ?? []).flatMap(({ file, symbols }) => [file, ...symbols.flatMap((symbol) => showSymbol(symbol, 1))]),
  ];
  if (lines.length === 0) lines.push('[no symbols]');
  return [...lines, ...(hint === undefined ? [] : [`[${hint}]`]), ...(overflow ? [showOverflow(overflow)] : [])].join(
    '\n',
  );
}

function showSymbol(symbol: ShownSymbol & { readonly file?: string }, depth: number): string[] {
  const { file, name, name_path, kind, start_line: start, end_line: end, doc, note, body, children = [] } = symbol;
  const lines = start === end ? `${start}` : `${start}-${end}`;
  const place = file === undefined ? `${lines}\t${'  '.repeat(depth)}` : `${file}:${lines}\t`;
  const hidden = symbol.hidden_members === undefined ? '' : ` [${symbol.hidden_members} members]`;
  const more = [doc, note].filter((part) => part !== undefined).map((part) => `  # ${part}`);
  return [
    `${place}${titleOf(kind, file === undefined ? nameOf(name, name_path) : name_path)}${hidden}${more.join('')}`,
    ...(body === undefined ? [] : [body]),
    ...children.flatMap((child) => showSymbol(child, depth + 1)),
  ];
}

function nameOf(name: string, path: string): string {
  return `${name}${/\[\d+\]$/.exec(path)?.[0] ?? ''}`.replace(/\s+/g, ' ');
}

function showOverflow({ shown, total, hint, by_file: files = [], next_offset: next }: Overflow): string {
  const counts = files.map(({ file, count }) => `${file} ${count}`).join(', ');
  const page = next === undefined ? '' : `; offset: ${next} is next`;
  return `[${shown} of ${total}${page}. ${hint}${counts && `. In files: ${counts}`}]`;
}
