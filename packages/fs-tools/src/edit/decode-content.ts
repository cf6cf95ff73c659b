import { type FileState, isBinary, SNIFF_BYTES } from '@jinn/workspace';
import { type CharsetContext, findCharset } from '@jinn/workspace/find-charset';
import { kindOfFile, notText } from '../read/text-content.ts';

/** The text of a file for edits, as UTF-8, in which bytes that are not text in the file's encoding survive. */
export interface DecodedContent {
  readonly text: Buffer;
  /** Undefined if the bytes are those of the file. */
  readonly encoding?: string;
  /** Returns the bytes of a text. Throws `invalid_args` for a character that the encoding lacks. */
  encode(text: Buffer): Buffer;
}

/** Decodes the content of a file for edits. Throws `binary_file`, which names the kind of the file. */
export async function decodeContent(
  ctx: CharsetContext,
  { asked, path, content }: Pick<FileState, 'asked' | 'path'> & { readonly content: Buffer },
  encoding?: string,
): Promise<DecodedContent> {
  const charset = await findCharset(ctx, { path, content }, encoding);
  const decoded = charset
    ? { ...charset.open(content, asked), encoding: charset.name }
    : { text: content, encode: (text: Buffer) => text };
  if (!isBinary(decoded.text)) return decoded;
  throw notText(asked, kindOfFile(content.subarray(0, SNIFF_BYTES), asked), content.length);
}
