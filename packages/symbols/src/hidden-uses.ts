import type { Identifier } from '@jinn/syntax';
import { type FileUses, wordsAt } from './find-uses.ts';
import { moduleSystemOf } from './name-role.ts';
import type { UsedFile } from './name-views.ts';

const NAME = '(?:[^\\p{ID_Continue}$]|^)NAME(?![\\p{ID_Continue}$])';
/** Texts in which a name is used although the syntax tree has no identifier there, by the language of the file. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  python: ['__all__[^\\n]*(?:\\n[^\\n\\]\\)]*)*[\'"]NAME[\'"]'],
  script: ['\\[\\s*[\'"`]NAME[\'"`]\\s*\\]'],
  c: [`^[ \\t]*#[ \\t]*(?:define|if|elif)\\b(?:[^\\n]*\\\\\\r?\\n)*[^\\n]*?${NAME}`],
};
/** Files whose markup names what their scripts declare. */
const WITH_MARKUP: ReadonlySet<string> = new Set(['vue', 'svelte', 'html']);

/** Returns the byte of a use of a name that is no identifier of the tree: in `__all__`, in markup, in a macro. */
export function hiddenUse(file: UsedFile, name: string): number | undefined {
  const { language } = file.outline;
  if (!file.isInText) return undefined;
  if (WITH_MARKUP.has(language)) return firstText(file, name);
  const key = language === 'cpp' ? 'c' : (moduleSystemOf(language) ?? language);
  const patterns = Object.hasOwn(HIDDEN, key) ? (HIDDEN[key] as readonly string[]) : [];
  const text = file.content.toString('utf8');
  for (const pattern of patterns) {
    const found = new RegExp(pattern.replaceAll('NAME', name.replace(/\$/g, '\\$&')), 'mu').exec(text);
    if (found) return Buffer.byteLength(text.slice(0, found.index + found[0].length)) - 1;
  }
  return undefined;
}

function firstText({ content, ranges }: FileUses, name: string): number | undefined {
  const starts = new Set(ranges.map(({ start }) => start));
  return wordsAt(content, name).find((at) => !starts.has(at));
}

/** True if a new name makes an element of HTML of a component, or a component of an element. */
export function changesElement({ parent }: Identifier, from: string, to: string): boolean {
  return /^jsx_\w*element$/.test(parent) && /^[a-z]/.test(from) !== /^[a-z]/.test(to);
}
