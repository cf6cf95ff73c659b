import type { Identifier } from '@jinn/syntax';
import { type FileUses, wordsAt } from './find-uses.ts';
import { moduleSystemOf } from './name-role.ts';
import type { UsedFile } from './name-views.ts';

interface Hiding {
  /** A part of a file in which names are used although the syntax tree has no identifiers there. */
  readonly part: RegExp;
  /** What a use of NAME in it is. */
  readonly use: string;
}

/**
 * By the language of the file. Security: a part is found without a look at the name, so that the search goes on behind it: files
 * are hostile, and a search that began again within each part would take hours.
 */
const HIDDEN: Readonly<Record<string, Hiding>> = {
  python: { part: /__all__[^\n]*(?:\n[^\n\])]*)*/g, use: '[\'"]NAME[\'"]' },
  script: { part: /\[\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*\]/g, use: '[\'"`]NAME[\'"`]' },
  c: {
    part: /^[ \t]*#[ \t]*(?:define|if|elif)\b(?:[^\n]*\\\r?\n)*[^\n]*/gm,
    use: '(?:[^\\p{ID_Continue}$]|^)NAME(?![\\p{ID_Continue}$])',
  },
};
/** Files whose markup names what their scripts declare. */
const WITH_MARKUP: ReadonlySet<string> = new Set(['vue', 'svelte', 'html']);

/** Returns the byte of a use of a name that is no identifier of the tree: in `__all__`, in markup, in a macro. */
export function hiddenUse(file: UsedFile, name: string): number | undefined {
  const { language } = file.outline;
  if (!file.isInText) return undefined;
  if (WITH_MARKUP.has(language)) return firstText(file, name);
  const key = language === 'cpp' ? 'c' : (moduleSystemOf(language) ?? language);
  const hiding = Object.hasOwn(HIDDEN, key) ? HIDDEN[key] : undefined;
  if (!hiding) return undefined;
  const use = new RegExp(hiding.use.replace('NAME', name.replace(/\$/g, '\\$&')), 'mu');
  const text = file.content.toString('utf8');
  for (const { 0: part, index } of text.matchAll(hiding.part)) {
    const found = use.exec(part);
    if (found) return Buffer.byteLength(text.slice(0, index + found.index + found[0].length)) - 1;
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
