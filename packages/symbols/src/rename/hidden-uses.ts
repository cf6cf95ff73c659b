import { languageOf } from '@jinn/syntax';
import { type FileUses, textsIn, wordsAt } from '../find/find-uses.ts';
import { familyOf, isKnown } from './name-role.ts';

/** What stands before and behind a name that code uses although it is text to the syntax tree. */
const HIDDEN: Readonly<Record<string, readonly [RegExp, RegExp]>> = {
  script: [/\[\s*['"`]$/, /^['"`]/],
  python: [/['"]$/, /^['"]/],
  ruby: [/:['"]?$/, /^/],
  rust: [/\{$/, /^[:}]/],
};
/** In Python only modules with a list of what they export name it by text. */
const EXPORT_LIST = '__all__';
/** A directive of C that holds code. */
const MACRO = /^[ \t]*#[ \t]*(?:define|if|elif)\b(?:[^\n]*\\\r?\n)*[^\n]*/gm;
/** Files whose markup names what their scripts declare. */
const WITH_MARKUP: ReadonlySet<string> = new Set(['vue', 'svelte', 'html']);
const MOST_BEFORE = 100;

/** Returns the byte of a use of a name that is no identifier of the tree: in a list of exports, in markup, in a macro. */
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

/** Takes places in their order. */
function findInMacros(text: string, places: readonly number[]): number | undefined {
  let next = 0;
  for (const { 0: macro, index } of text.matchAll(MACRO)) {
    while ((places[next] ?? Number.POSITIVE_INFINITY) < index) next++;
    const place = places[next];
    if (place !== undefined && place < index + macro.length) return place;
  }
  return undefined;
}
