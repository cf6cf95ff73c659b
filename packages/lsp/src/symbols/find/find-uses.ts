import type { ToolContext } from '@jinn/core';
import { createOutlines, type Identifier } from '@jinn/syntax';
import { type MentionedWord, wordsAt } from '../../index.ts';
import { type Content, readContent, unlessRefused } from '../show/read-source.ts';
import { areRelated, mayName, usingFiles } from './scope.ts';
import { createSourceIndex, NOT_PARSED, trigramsOf } from './source-index.ts';

export interface FileUses extends Content {
  readonly ranges: readonly Identifier[];
  /** True if the name also occurs in the text of the file, such as comments and strings. */
  readonly isInText: boolean;
}

export interface FoundUses {
  readonly files: readonly FileUses[];
  readonly warnings: readonly string[];
  readonly isWhole: boolean;
}

/** Returns the other files that have a name, for a server to look at. */
export function mentionedIn({ files, isWhole }: FoundUses, word: string, own: string): MentionedWord {
  const others = files.map(({ path }) => path).filter((path) => path !== own);
  return { word, files: others, lacks: isWhole ? undefined : `not all source files were searched for ${word}` };
}

/**
 * Finds all identifiers of a name in the workspace's code, in files of languages that share names with `language`. With
 * `isWide`, also in pages of HTML and in languages that call C. Other symbols with the name are among them.
 */
export async function findUses(
  ctx: ToolContext,
  name: string,
  { language, isWide = false }: { readonly language: string; readonly isWide?: boolean },
): Promise<FoundUses> {
  const scope = usingFiles({ pages: isWide });
  const { files, warnings, leftOut, isWhole } = await ctx.session.use(createSourceIndex).scan(ctx, scope);
  const isNear = isWide ? mayName : areRelated;
  const trigrams = trigramsOf(name);
  const found: FileUses[] = [];
  const failed: string[] = [];
  for (const file of files) {
    if (!isNear(file.language, language) || !file.filter.mayHold(trigrams)) continue;
    const content = await unlessRefused(() => readContent(ctx, `./${file.path}`));
    if (!content?.content.includes(name)) continue;
    const words = [...wordsAt(content.content, name)].length;
    const parsed = await ctx.session.use(createOutlines).identifiers(content, name);
    if ('reason' in parsed && (words > 0 || parsed.reason !== 'no_grammar')) failed.push(file.path);
    const ranges = 'reason' in parsed ? [] : parsed;
    if (ranges.length > 0 || words > 0) found.push({ ...content, ranges, isInText: words > ranges.length });
    await ctx.checkpoint();
  }
  for (const path of failed) leftOut.add(NOT_PARSED, path);
  return { files: found, warnings: [...warnings, ...leftOut.lines()], isWhole: isWhole && failed.length === 0 };
}

/** Finds the bytes where a name is in comments, strings and other text. */
export function textsIn({ content, ranges }: FileUses, name: string): number[] {
  const starts = new Set(ranges.map(({ start }) => start));
  return [...wordsAt(content, name)].filter((at) => !starts.has(at));
}
