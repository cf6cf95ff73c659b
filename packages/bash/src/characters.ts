const BLANK = 1;
/** Ends a word that is not quoted. */
const META = 2;
/** Means something within a word: quotes, expansions, and what may open a list or a pattern. */
const SPECIAL = 4;

const CLASSES = new Uint8Array(128);
for (const char of ' \t') CLASSES[char.charCodeAt(0)] = BLANK | META;
for (const char of '\n;&|()<>') CLASSES[char.charCodeAt(0)] = META;
for (const char of '\\\'"$`') CLASSES[char.charCodeAt(0)] = SPECIAL;

export function isBlank(code: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & BLANK) !== 0;
}

export function endsWord(code: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & META) !== 0;
}

/** True for a character that stands for itself anywhere in a word. */
export function isPlain(code: number): boolean {
  return code >= 128 || CLASSES[code] === 0;
}
