import { createVersionDigest } from './content-version.ts';
import { ToolError } from './errors.ts';
import type { Current, Target } from './target.ts';

/** Files above this are neither read nor written (seeds/jinn-tool-reference, read_file). */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_READS = 3;

/** Reads the file that stands at a target, whole and from one moment; undefined when there is none. */
export function readCurrent(target: Target): Current | undefined {
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const current = target.withFile((file, attributes) => {
      refuseTooLarge(target.asked, file.size);
      const content = file.slice(0, file.size);
      return file.isUnchanged() ? { content, stamp: file.stamp, ...attributes } : undefined;
    });
    if (current || !target.exists) return current;
  }
  throw new ToolError('conflict', `the file keeps changing while it is read: ${target.asked}`, {
    suggestion: 'find out what writes to it, and try again',
  });
}

/** Refuses content that is over 50 MB. */
export function refuseTooLarge(asked: string, size: number): void {
  if (size <= MAX_FILE_BYTES) return;
  throw new ToolError('file_too_large', `file too large: ${asked}: ${Math.ceil(size / 1024 / 1024)} MB (max 50 MB)`, {
    suggestion: 'change a file of this size with run_shell',
  });
}

/** The version token of a whole content. */
export function versionOf(content: Uint8Array): string {
  const digest = createVersionDigest();
  digest.update(content);
  return digest.digest();
}
