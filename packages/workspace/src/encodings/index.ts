import { ToolError } from '@jinn/core/errors';
import { isBinary, isPlainText } from '../guard/index.ts';
import { type Charset, openCharset } from './charset.ts';
import { detectEncoding, escapedEncoding } from './detect.ts';
import { type EncodingSources, ProjectEncodings } from './project-encoding.ts';
import { markedEncoding, wideEncoding } from './wide.ts';

export { openCharset } from './charset.ts';
export { ProjectEncodings, type ProjectStyle } from './project-encoding.ts';

/** Decides which encodings files have. It is the only place that does. */
export class Encodings {
  readonly #project: ProjectEncodings;

  constructor(sources: EncodingSources) {
    this.#project = new ProjectEncodings(sources);
  }

  /**
   * Returns the encoding of the file at a path below the workspace root. `asked` wins over everything, and `known` replaces a
   * guess. Undefined if it is UTF-8, or unknown: then its bytes count. Throws `invalid_args` for an unknown name.
   */
  async find(
    path: string,
    content: Buffer,
    { asked, known }: { readonly asked?: string | undefined; readonly known?: string | undefined } = {},
  ): Promise<Charset | undefined> {
    if (asked !== undefined) return openCharset(asked);
    if (markedEncoding(content) !== undefined) {
      const marked = wideEncoding(content);
      return marked === undefined ? undefined : openCharset(marked);
    }
    if (isPlainText(content)) return undefined;
    const escaped = escapedEncoding(content);
    if (escaped !== undefined) return openCharset(escaped);
    for (const name of this.#project.find(path)) {
      const charset = await openCharset(name).catch(() => undefined);
      if (charset && (charset.isWide || !isBinary(content))) return charset;
    }
    const found = known ?? (await detectEncoding(content));
    return found === undefined ? undefined : openCharset(found);
  }
}

/** Makes the error for an encoding that is asked for a content of more bytes than are decoded. */
export function notDecoded(path: string): ToolError {
  return new ToolError('file_too_large', `${path} is larger than 16 MB, too large for an encoding`, {
    suggestion: 'leave encoding out, or convert the file to UTF-8 by a command (nothing was changed)',
  });
}
