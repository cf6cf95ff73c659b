import { type MemoryEntry, ToolError } from '@jinn/core';

/** What a result may hold (docs/protocol.md), in characters, less some for JSON around it. */
const MAX_CHARACTERS = 15 * 1024 * 1024;
/** A line that ends or begins a fenced block, which the fence around a value must outlast. */
const FENCES = /`{3,}/g;

/** A document that people can read and that loses nothing: each value stands in a fence, character by character. */
export function toMarkdown(scope: string, entries: readonly MemoryEntry[]): string {
  const title = scope === 'global' ? 'Global memory' : `Memory of ${nameOf(scope)}`;
  const parts = entries.length > 0 ? entries.map(toSection) : ['Nothing is saved.'];
  const text = [`# ${title}`, ...parts].join('\n\n').concat('\n');
  if (text.length <= MAX_CHARACTERS) return text;
  throw new ToolError('resource_limit', 'the memory of this scope is larger than an answer may be', {
    suggestion: 'use action="list" with include_values and a query or limit',
  });
}

function toSection({ key, value, updated, pinned, expires }: MemoryEntry): string {
  const facts = [`saved ${updated}`, pinned && 'pinned', expires && `expires ${expires.toISOString()}`];
  const fence = '`'.repeat(Math.max(3, 1 + longestFence(value)));
  return `## ${key}\n\n${facts.filter(Boolean).join(', ')}\n\n${fence}\n${value}\n${fence}`;
}

function longestFence(text: string): number {
  return (text.match(FENCES) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}

function nameOf(directory: string): string {
  return directory.slice(directory.lastIndexOf('/') + 1) || directory;
}
