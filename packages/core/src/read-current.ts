import { createVersionDigest } from './content-version.ts';
import { ToolError } from './errors.ts';
import { fromSystemError } from './system-error.ts';
import type { Current, Target } from './target.ts';

/** Larger files are neither read nor written. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_READS = 3;

/** Reads the whole file at a target, as it was at one moment; returns undefined if there is none. */
export function readCurrent(target: Target): Current | undefined {
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const current = readOnce(target);
    if (current || !target.exists) return current;
  }
  throw new ToolError('conflict', `the file keeps changing while it is read: ${target.asked}`, {
    suggestion: 'find out what writes to it, and try again',
  });
}

function readOnce(target: Target): Current | undefined {
  try {
    return target.withFile((file, attributes) => {
      refuseTooLarge(target.asked, file.size);
      const content = file.slice(0, file.size);
      return file.isUnchanged() ? { content, stamp: file.stamp, ...attributes } : undefined;
    });
  } catch (error) {
    throw fromSystemError(error, target.asked);
  }
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
