import type { OpenFiles } from './open-files.ts';
import { contentOf } from './searched-content.ts';

const SCAN_BYTES = 1024 * 1024;

/** Reports whether there is a NUL anywhere in the content of a file. Throws ToolError, and what `checkpoint` throws. */
export async function isBinary(files: OpenFiles, path: string, checkpoint: () => Promise<void>): Promise<boolean> {
  for (let at = 0; ; at += SCAN_BYTES) {
    const bytes = files.withFile(path, (file) => {
      const content = contentOf(file);
      return content.slice(at, content.isConverted ? content.size : at + SCAN_BYTES);
    });
    if (bytes.includes(0)) return true;
    if (bytes.length < SCAN_BYTES) return false;
    await checkpoint();
  }
}
