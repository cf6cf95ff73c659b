import { notebookToText } from '@jinn/syntax/notebook';
import type { SecretWatch } from '../secrets/secret-watch.ts';

export interface RewriteOptions {
  readonly secretWatch?: SecretWatch | undefined;
  /** True to cut long runs of base64. */
  readonly cutsBase64?: boolean | undefined;
  /** True to print notebooks as the JSON that they are. */
  readonly keepsNotebooks?: boolean | undefined;
  /** Removes comments or empty lines from the text of a source. */
  readonly strip?: ((text: Buffer, path: string) => Buffer) | undefined;
}

/** A shorter run may be a hash or a key. */
const BASE64 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{240,}={0,2}/g;

/** Returns the function that rewrites the text of a file; undefined if it is not rewritten. */
export function rewriterOf(path: string, options: RewriteOptions): ((text: Buffer) => Buffer) | undefined {
  const isNotebook = !options.keepsNotebooks && path.endsWith('.ipynb');
  const { cutsBase64, strip } = options;
  if (!isNotebook && !cutsBase64 && !strip) return undefined;
  return (text) => {
    const cells = isNotebook ? notebookToText(text.toString()) : undefined;
    const shown = cells === undefined ? (strip?.(text, path) ?? text) : Buffer.from(cells);
    return cutsBase64 ? Buffer.from(cutBase64(shown.toString())) : shown;
  };
}

/**
 * Replaces long runs of base64 by their beginning and a sentence. A run of letters of one case or of digits alone is
 * not base64.
 */
function cutBase64(text: string): string {
  return text.replace(BASE64, (run) =>
    /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
      ? `${run.slice(0, 32)}[${run.length - 32} characters of base64 cut]`
      : run,
  );
}
