import { isUtf8 } from 'node:buffer';
import type { Workspace } from '@jinn/workspace';
import { type Charset, type CharsetContext, CharsetFinder, MAX_DECODED_BYTES } from '@jinn/workspace/find-charset';
import type { Candidate } from '../targets/candidate.ts';

/** An encoding to read. */
export type TextCharset = Pick<Charset, 'name' | 'isWide' | 'decode'>;

export interface FoundCharset {
  /** Undefined for UTF-8. */
  readonly charset: TextCharset | undefined;
}

/** The settings of the user, and the session that remembers encodings. */
export type CharsetSources = Pick<CharsetContext, 'user' | 'session'>;

/** Reads a file of an unknown encoding as UTF-8. One U+FFFD replaces other bytes. */
export const UNKNOWN: TextCharset = {
  name: 'unknown',
  isWide: false,
  decode: (bytes) =>
    Buffer.from(
      Buffer.from(bytes)
        .toString()
        .replace(/\ufffd+/g, '\ufffd'),
    ),
};

/** Finds the encodings of the files of a run. */
export class FileCharsets {
  readonly #sources: CharsetSources;
  readonly #finders = new Map<Workspace, CharsetFinder>();

  constructor(sources: CharsetSources = { session: {}, user: { state: { read: () => undefined } } }) {
    this.#sources = sources;
  }

  /** Must be called while the file is visited, and throws the errors of `candidate.read`. */
  find(candidate: Candidate): Promise<FoundCharset> {
    const { workspace, path } = candidate.place;
    const content = candidate.read((file) => file.slice(0, Math.min(file.size, MAX_DECODED_BYTES)));
    const finder = this.#finders.get(workspace) ?? new CharsetFinder({ ...this.#sources, workspace });
    this.#finders.set(workspace, finder);
    return finder.find({ path, content }).then((found) => ({
      charset: found ?? (isUtf8(content) ? undefined : UNKNOWN),
    }));
  }
}
