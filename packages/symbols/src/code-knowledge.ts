import type { ToolContext } from '@jinn/core';
import type { SyntaxSymbol } from '@jinn/syntax';
import { type FoundDefinitions, findDefinitions, type Place } from './find-definition.ts';
import { type FoundUses, findUses } from './find-uses.ts';
import type { Source } from './read-source.ts';

/** What is known of what names in code mean. The tools ask it, whoever knows. */
export interface CodeKnowledge {
  /** Finds what an identifier of a line means. Throws `invalid_args` and `not_found`. */
  findDefinitions(place: Place): Promise<FoundDefinitions>;
  /** Finds where a symbol is declared and used. */
  findUses(source: Source, symbol: SyntaxSymbol): Promise<FoundUses>;
  /** What an answer says of how it was found. */
  tell(name: string, warnings: readonly string[]): { readonly warnings: readonly string[]; readonly meta: object };
}

/** Knows names alone, from syntax trees: what else has a name is taken for the same. */
export function knowledgeOf(ctx: ToolContext): CodeKnowledge {
  return {
    findDefinitions: (place) => findDefinitions(ctx, place),
    findUses: ({ outline }, { name }) => findUses(ctx, name, outline.language),
    tell: (name, warnings) => ({ warnings: [...warnings, sentenceOf(name)], meta: { textual: true } }),
  };
}

function sentenceOf(name: string): string {
  return `found by the name ${name} in syntax trees, without a language server: others of that name are among them`;
}
