import { ToolError } from '@jinn/core';

/** Refuses a text with half a surrogate pair, for which UTF-8 has no bytes; `name` is the argument that holds it. */
export function refuseLoneSurrogates(name: string, text: string): void {
  if (text.isWellFormed()) return;
  const at = text.search(/[\ud800-\udfff]/u);
  const code = text.charCodeAt(at).toString(16);
  throw new ToolError('invalid_args', `${name}: character ${at + 1} is \\u${code}, half of a surrogate pair`, {
    suggestion: 'send the whole character, or leave it out; nothing was changed',
  });
}
