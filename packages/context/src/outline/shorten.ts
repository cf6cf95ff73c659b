import type { FilePiece, PlannedFile, ShorterText } from '../budget/planned-file.ts';
import { CHUNK_BYTES, type ContentReader } from '../document/content-reader.ts';
import { type DocumentStyle, renderContent } from '../document/document-pieces.ts';
import type { RewriteOptions } from '../document/file-text.ts';
import { factsOf, readFileText } from '../document/file-text.ts';
import type { FocusTerms } from '../signals/focus-terms.ts';
import type { TokenCounter } from '../tokens/tokens.ts';

export interface ShortenContext {
  readonly reader: ContentReader;
  readonly counter: TokenCounter;
  readonly style: DocumentStyle;
  readonly rewrite: RewriteOptions;
  readonly focus?: FocusTerms | undefined;
  readonly onShortened?: ((path: string) => void) | undefined;
}

/** The outlines of a file: the full one, and the longest one within a number of tokens. */
export interface FileOutlines {
  readonly full: PlannedFile;
  shorter(mostTokens: number): PlannedFile | undefined;
}

/** Returns the outline of a file, or undefined if it has none. */
export async function makeOutline(file: PlannedFile, options: ShortenContext): Promise<PlannedFile | undefined> {
  return (await makeOutlines(file, options))?.full;
}

/** Returns the outlines of a file, or undefined if it has none. */
export async function makeOutlines(file: PlannedFile, options: ShortenContext): Promise<FileOutlines | undefined> {
  options.onShortened?.(file.path);
  const text = readShownContent(file, options, { isWhole: false })?.toString();
  if (text === undefined) return undefined;
  const { readOutline } = await import('./outline.ts');
  const { full, shorter } = await readOutline(text, file.path, options.focus);
  if (!full.includes('\n')) return undefined;
  const toFile = (outline: string) => replace(file, { kind: 'outline', bytes: Buffer.from(outline) }, options);
  return {
    full: toFile(full),
    shorter: (most) => {
      const outline = shorter((text) => options.counter.count(Buffer.from(text)) <= most);
      return outline === undefined ? undefined : toFile(outline);
    },
  };
}

/** Returns a file without the bodies of its functions, or undefined without a syntax tree, or above a megabyte. */
export async function makeCompressed(file: PlannedFile, options: ShortenContext): Promise<PlannedFile | undefined> {
  options.onShortened?.(file.path);
  const content = file.size > CHUNK_BYTES ? undefined : readShownContent(file, options, { isWhole: false });
  if (!content) return undefined;
  const { compress } = await import('./compress.ts');
  const bytes = await compress(content, file.path);
  return bytes && replace(file, { kind: 'compressed', bytes }, options);
}

/** Renders the content of a file, without the lines around it. Undefined if it cannot be read. */
export function renderFile(file: PlannedFile, options: ShortenContext): Buffer | undefined {
  const { instead, facts } = file;
  const bytes = instead?.bytes ?? readShownContent(file, options, { isWhole: true });
  return bytes && Buffer.concat([...renderContent([bytes], options.style, instead?.facts ?? facts)]);
}

/** Replaces the content of a file, and counts the tokens of the replacement. */
export function replace(
  file: PlannedFile,
  substitute: Omit<ShorterText, 'facts'> | Omit<FilePiece, 'facts'>,
  { counter, style }: Pick<ShortenContext, 'counter' | 'style'>,
): PlannedFile {
  const facts = factsOf(substitute.bytes);
  const written = Buffer.concat([...renderContent([substitute.bytes], style, facts)]);
  return { ...file, tokens: counter.count(written), instead: { ...substitute, facts } };
}

/** Returns the text as it would be written, or its first chunk unless `isWhole`, or undefined if it cannot be read. */
export function readShownContent(
  { path, candidate, facts: { charset } }: PlannedFile,
  { reader, rewrite }: Pick<ShortenContext, 'reader' | 'rewrite'>,
  { isWhole }: { readonly isWhole: boolean },
): Buffer | undefined {
  try {
    return candidate.readLater((open) => {
      const copies: Buffer[] = [];
      for (const chunk of readFileText({ path, charset }, open, reader, rewrite).chunks()) {
        copies.push(Buffer.from(chunk));
        if (!isWhole) break;
      }
      return Buffer.concat(copies);
    });
  } catch {
    return undefined;
  }
}
