import type { ToolContext } from '@jinn/core';
import { createOutlines, type Identifier } from '@jinn/syntax';
import type { MentionedWord } from '../../index.ts';
import { type Content, readContent } from '../show/read-source.ts';
import { areRelated, mayName } from './related-languages.ts';
import { codeAndPages, directoryScope } from './scope.ts';
import { createSourceIndex } from './source-index.ts';
import { trigramsOf } from './trigram-filter.ts';
import { unlessRefused } from './unless-refused.ts';

/** The identifiers of a name in a file. */
export interface FileUses extends Content {
  readonly ranges: readonly Identifier[];
  /** True if the name also occurs in the text of the file, such as comments and strings. */
  readonly isInText: boolean;
}

export interface FoundUses {
  readonly files: readonly FileUses[];
  readonly warnings: readonly string[];
  /** False if files that may have the name were not looked at. */
  readonly isWhole: boolean;
}

/** Returns the other files that have a name, for a server to look at. */
export function mentionedIn({ files, isWhole }: FoundUses, word: string, own: string): MentionedWord {
  const others = files.map(({ path }) => path).filter((path) => path !== own);
  return { word, files: others, lacks: isWhole ? undefined : `not all source files were searched for ${word}` };
}

interface UseSearch {
  readonly language: string;
  /** True to look wherever code may name the symbol: in pages of HTML, and in languages that call C. */
  readonly isWide?: boolean;
}

/**
 * Finds all identifiers of a name in the code of the workspace, in files of languages that share names with `language`.
 * It goes by the name alone, so other symbols with that name are among them.
 */
export async function findUses(
  ctx: ToolContext,
  name: string,
  { language, isWide = false }: UseSearch,
): Promise<FoundUses> {
  const scope = isWide ? codeAndPages() : directoryScope('.');
  const { files, warnings, isWhole } = await ctx.session.use(createSourceIndex).scan(ctx, scope);
  const isNear = isWide ? mayName : areRelated;
  const trigrams = trigramsOf(name);
  const found: FileUses[] = [];
  const failed: string[] = [];
  for (const file of files) {
    if (!isNear(file.language, language) || !file.filter.mayHold(trigrams)) continue;
    const content = await unlessRefused(() => readContent(ctx, `./${file.path}`));
    if (!content?.content.includes(name)) continue;
    const ranges = await ctx.session.use(createOutlines).identifiers(content, name);
    if ('reason' in ranges) failed.push(file.path);
    else {
      const words = wordsAt(content.content, name).length;
      const isInText = words > ranges.length;
      if (ranges.length > 0 || words > 0) found.push({ ...content, ranges, isInText });
    }
    await ctx.checkpoint();
  }
  const left = failed.length > 0 ? [`left out, for they cannot be parsed: ${failed.slice(0, 10).join(', ')}`] : [];
  return { files: found, warnings: [...warnings, ...left], isWhole: isWhole && failed.length === 0 };
}

/** Finds the bytes where a name stands as a whole word. */
export function wordsAt(content: Buffer, name: string): number[] {
  const word = Buffer.from(name);
  const found: number[] = [];
  for (let at = content.indexOf(word); at >= 0; at = content.indexOf(word, at + word.length)) {
    if (!isWordByte(content[at - 1]) && !isWordByte(content[at + word.length])) found.push(at);
  }
  return found;
}

/** Returns the bytes where a name stands in comments, strings and other text. */
export function textsIn({ content, ranges }: FileUses, name: string): number[] {
  const starts = new Set(ranges.map(({ start }) => start));
  return wordsAt(content, name).filter((at) => !starts.has(at));
}

/** Reports whether a byte belongs to a word; bytes of characters beyond ASCII may be letters. */
function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)));
}
