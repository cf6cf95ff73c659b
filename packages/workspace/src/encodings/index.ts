import { isBinary } from '../guard/index.ts';
import { type Charset, openCharset } from './charset.ts';
import { detectEncoding, escapedEncoding, isPlain, markedEncoding } from './detect.ts';
import { type EncodingSources, ProjectEncodings } from './project-encoding.ts';

export { type Charset, openCharset } from './charset.ts';

/** Decides which encodings files have. It is the only place that does. */
export class Encodings {
  readonly #project: ProjectEncodings;
  readonly #asked = new Map<string, string>();

  constructor(sources: EncodingSources) {
    this.#project = new ProjectEncodings(sources);
  }

  /** Sets the encoding of a file, which wins over everything else. Throws `invalid_args` for an unknown one. */
  async set(path: string, name: string): Promise<void> {
    await openCharset(name);
    this.#asked.set(path, name);
  }

  /**
   * Returns the encoding of the file at a path below the workspace root. Undefined if it is UTF-8, or cannot be told:
   * then its bytes count.
   */
  async find(path: string, content: Buffer): Promise<Charset | undefined> {
    const asked = this.#asked.get(path) ?? markedEncoding(content);
    if (asked !== undefined) return openCharset(asked);
    if (isPlain(content)) return undefined;
    const escaped = escapedEncoding(content);
    if (escaped !== undefined) return openCharset(escaped);
    for (const name of await this.#project.find(path)) {
      const charset = await openCharset(name).catch(() => undefined);
      if (charset && (charset.isWide || !isBinary(content))) return charset;
    }
    const found = await detectEncoding(content);
    return found === undefined ? undefined : openCharset(found);
  }
}
