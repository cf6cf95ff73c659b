import type { ToolContext } from '@jinn/core';
import type { OpenFile } from '@jinn/workspace';
import { askedEncoding, type Charset, findCharset } from '@jinn/workspace/find-charset';
import { type LineScan, type ScanOptions, scanBuffer, scanLines } from './text-content.ts';

/** A larger file is not decoded: in memory, it would take several times its size. */
export const MAX_DECODED_BYTES = 32 * 1024 * 1024;

interface Scanning extends ScanOptions {
  /** The encoding that the caller asks for. */
  readonly encoding?: string | undefined;
}

/** Opens and scans a file, and decodes it if it is not UTF-8. Throws as `scanLines` and `findCharset` do. */
export async function withScan<T>(
  ctx: ToolContext,
  path: string,
  options: Scanning,
  use: (file: OpenFile, scan: LineScan) => T,
): Promise<T> {
  const first = ctx.workspace.withFile(path, (file) => {
    const scan = scanLines(file, options);
    const isAsked = (options.encoding ?? askedEncoding(ctx, file.path)) !== undefined;
    const mayDecode = !file.isSpilled && file.size <= MAX_DECODED_BYTES && (isAsked || !scan.isPlain);
    return mayDecode ? { content: file.slice(0, file.size), path: file.path } : { result: use(file, scan) };
  });
  if ('result' in first) return first.result as T;
  const charset = await findCharset(ctx, first, options.encoding);
  return ctx.workspace.withFile(path, (file) => {
    const scan = scanLines(file, options);
    return use(file, charset ? decodeScan(scan, charset) : scan);
  });
}

function decodeScan(scan: LineScan, charset: Charset): LineScan {
  const text = charset.decode(scan.slice(0, scan.size));
  return { ...scan, ...scanBuffer(text), encoding: charset.name };
}
