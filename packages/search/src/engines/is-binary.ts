import type { OpenFiles } from './open-files.ts';
import { contentOf } from './searched-content.ts';

const SCAN_BYTES = 1024 * 1024;

/**
 * Reports whether there is a NUL anywhere in the content of a file. Throws ToolError, and the errors of `checkpoint`.
 */
export async function isBinary(
  files: Pick<OpenFiles, 'withFile'>,
  path: string,
  checkpoint: () => Promise<void>,
): Promise<boolean> {
  for (let at = 0; ; at += SCAN_BYTES) {
    const { hasNul, isLast } = files.withFile(path, (file) => {
      const content = contentOf(file);
      const bytes = content.slice(at, content.isConverted ? content.size : at + SCAN_BYTES);
      return { hasNul: bytes.includes(0), isLast: bytes.length < SCAN_BYTES };
    });
    if (hasNul) return true;
    if (isLast) return false;
    await checkpoint();
  }
}
