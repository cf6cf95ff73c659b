import { languageOf } from '@jinn/syntax';
import { type FileUses, textsIn, wordsAt } from '../find/find-uses.ts';
import { familyOf, isKnown } from './name-role.ts';

/** The text before and behind a name that code uses although it is text in the syntax tree. */
const HIDDEN: Readonly<Record<string, readonly [RegExp, RegExp]>> = {
  script: [/\[\s*['"`]$/, /^['"`]/],
  python: [/['"]$/, /^['"]/],
  ruby: [/:['"]?$/, /^/],
  rust: [/\{$/, /^[:}]/],
};
/** In Python, only modules with a list of exports name them by text. */
const EXPORT_LIST = '__all__';
/** A directive of C that holds code. */
const MACRO = /^[ \t]*#[ \t]*(?:define|if|elif)\b(?:[^\n]*\\\r?\n)*[^\n]*/gm;
/** Files whose markup names symbols of their scripts. */
const WITH_MARKUP: ReadonlySet<string> = new Set(['vue', 'svelte', 'html']);
const MOST_BEFORE = 100;

/**
 * Returns the byte of a use of a name that is not an identifier of the tree: in a list of exports, in markup, in a
 * macro.
 */
export function findHiddenUse(file: FileUses, name: string): number | undefined {
  const language = languageOf(file.path, file.content) ?? '';
  // Svelte reads a store by its name behind a dollar sign.
  const [store] = language === 'svelte' ? wordsAt(file.content, `$${name}`) : [];
  if (store !== undefined || !file.isInText) return store;
  const texts = textsIn(file, name);
  if (WITH_MARKUP.has(language) || !isKnown(language)) return texts[0];
  if (language === 'c' || language === 'cpp') return findInMacros(file.content.toString('latin1'), texts);
  if (language === 'python' && !file.content.includes(EXPORT_LIST)) return undefined;
  const [before, behind] = HIDDEN[familyOf(language)] ?? [];
  const length = Buffer.byteLength(name);
  return texts.find(
    (at) =>
      before?.test(file.content.toString('latin1', Math.max(0, at - MOST_BEFORE), at)) &&
      behind?.test(file.content.toString('latin1', at + length, at + length + 1)),
  );
}

/** Finds the first of some places, which are in order, that is in a macro. */
function findInMacros(text: string, places: readonly number[]): number | undefined {
  let next = 0;
  for (const { 0: macro, index } of text.matchAll(MACRO)) {
    while ((places[next] ?? Number.POSITIVE_INFINITY) < index) next++;
    const place = places[next];
    if (place !== undefined && place < index + macro.length) return place;
  }
  return undefined;
}
