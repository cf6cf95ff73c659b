import type { MemoryEntry } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

/** The most characters of a result (docs/protocol.md), less some for the JSON around it. */
const MAX_CHARACTERS = 15 * 1024 * 1024;
const NAMED: Readonly<Record<string, string>> = { global: 'Global memory', shared: 'Shared memory' };
/** Fences inside a value. The fence around the value must be longer. */
const FENCES = /`{3,}/g;
/** Keys of older versions may have these characters. As escapes, they cannot end a line or hide text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Writes entries as a document for users that loses nothing: each value is in a fence, character by character. Throws
 * `resource_limit` as soon as the document is larger than an answer may be.
 */
export async function toMarkdown(
  scope: string,
  entries: AsyncIterable<MemoryEntry>,
): Promise<{ text: string; count: number }> {
  const name = scope.slice(scope.lastIndexOf('/') + 1) || scope;
  const title = NAMED[scope] ?? `Memory of ${visible(name)}`;
  const sections: string[] = [];
  let length = 0;
  for await (const entry of entries) {
    const section = toSection(entry);
    length += section.length;
    if (length > MAX_CHARACTERS) {
      throw new ToolError('resource_limit', 'the memory of this scope is larger than an answer may be', {
        suggestion: 'use action="list" with include_values and a query or limit',
      });
    }
    sections.push(section);
  }
  const count = sections.length;
  if (count === 0) sections.push('Nothing is saved.');
  return { text: [`# ${title}`, ...sections].join('\n\n').concat('\n'), count };
}

function toSection({ key, value, updated, pinned, expires }: MemoryEntry): string {
  const facts = [`saved ${visible(updated)}`, pinned && 'pinned', expires && `expires ${expires.toISOString()}`];
  const fence = '`'.repeat(Math.max(3, 1 + longestFence(value)));
  return `## ${visible(key)}\n\n${facts.filter(Boolean).join(', ')}\n\n${fence}\n${value}\n${fence}`;
}

function longestFence(text: string): number {
  return (text.match(FENCES) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}

function visible(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
