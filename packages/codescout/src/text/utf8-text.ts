import { isUtf8 } from 'node:buffer';
import { ToolError } from '@jinn/core/errors';
import type { LineScan } from '@jinn/fs-tools/read/scan-lines';
import { isBinary, SNIFF_BYTES } from '@jinn/workspace';

/** Refuses a file with a NUL at its beginning, as other tools do. Throws `binary_file`. */
export function rejectBinary(scan: Pick<LineScan, 'slice' | 'size'>, path: string): void {
  if (!isBinary(scan.slice(0, Math.min(scan.size, SNIFF_BYTES)))) return;
  throw new ToolError('binary_file', `${path} is a binary file (${scan.size} bytes)`, {
    suggestion: `look into it with run_command, for example: file ${path}`,
  });
}

/** Decodes bytes that must be UTF-8. Throws `binary_file`: text with replaced characters would not be fit for edits. */
export function decodeText(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new ToolError('binary_file', `${path} contains bytes that are not UTF-8`, {
    suggestion: `convert it with run_command: iconv -f latin1 -t utf-8 ${path}`,
  });
}
