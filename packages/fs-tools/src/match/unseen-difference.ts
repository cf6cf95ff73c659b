/** In larger files, a text that looks the same is not looked for. */
const MAX_BYTES = 1024 * 1024;
const MAX_NAMED = 5;
const CYRILLIC = ['аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅ', 'aeopcyxijshdqwABEKMHOPCTYXIJS'] as const;
const GREEK = ['οανρικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'oavpikuABEZHIKMNOPTYX'] as const;
/** The tables are made for the first text that is missed: they take a millisecond. */
function makeTables() {
  const latin = new Map(
    [CYRILLIC, GREEK].flatMap(([from, to]) => [...from].map((letter, i) => [letter, to[i] as string])),
  );
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/\p{M}/u, 'combining mark'],
    [/\p{Default_Ignorable_Code_Point}/u, 'invisible'],
    [/\p{Z}/u, 'space'],
    [/\p{Script=Cyrillic}/u, 'Cyrillic '],
    [/\p{Script=Greek}/u, 'Greek '],
  ];
  return { kinds, latin, lookalike: new RegExp(`[${[...latin.keys()].join('')}]`, 'gu') };
}

let made: ReturnType<typeof makeTables> | undefined;

function tables() {
  made ??= makeTables();
  return made;
}

/** A place that looks like a text. */
interface UnseenDifference {
  /** The offset of its first line. */
  readonly start: number;
  /** The characters in which they differ, as a part of a sentence. */
  readonly told: string;
}

/**
 * Finds the first place that differs from a text only in what cannot be seen: the normal form, characters without width,
 * kinds of spaces, letters of other scripts. Strings hold bytes (latin1).
 */
export function findUnseen(bytes: string, wanted: string): UnseenDifference | undefined {
  if (bytes.length > MAX_BYTES || !/[\x80-\xff]/.test(bytes + wanted)) return undefined;
  const [text, old] = [toLines(bytes), toLines(wanted)];
  const [view, sought] = [appearanceOf(text), appearanceOf(old)];
  const at = sought.trim() === '' ? -1 : view.indexOf(sought);
  if (at < 0 || text.includes(old)) return undefined;
  const line = view.slice(0, at).split('\n').length - 1;
  const there = text.split('\n').splice(line, old.split('\n').length).join('\n');
  let start = 0;
  for (let i = 0; i < line; i++) start = bytes.indexOf('\n', start) + 1;
  const told = `the file has ${nameOthers(there, old)}, the text as sent has ${nameOthers(old, there)}`;
  const isForm = there.normalize().includes(old.normalize());
  return { start, told: isForm ? `it has another Unicode normal form: ${told}` : told };
}

function toLines(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n');
}

function appearanceOf(text: string): string {
  const { latin, lookalike } = tables();
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(lookalike, (letter) => latin.get(letter) ?? letter);
}

/** Returns names of the characters of a text that look like others, and that another text does not have. */
function nameOthers(text: string, other: string): string {
  const isOdd = (char: string) => /\p{M}/u.test(char) || char.normalize('NFD') !== char || appearanceOf(char) !== char;
  const own = [...new Set(text)].filter((char) => isOdd(char) && !other.includes(char)).map(nameCharacter);
  return own.slice(0, MAX_NAMED).join(', ') || 'plain characters there';
}

function nameCharacter(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const kind = tables().kinds.find(([pattern]) => char.search(pattern) >= 0)?.[1] ?? '';
  return `U+${code} (${kind}${kind === '' || kind.endsWith(' ') ? char : ''})`;
}
