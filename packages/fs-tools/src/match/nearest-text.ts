import { isUtf8 } from 'node:buffer';
import { lineAt } from '../read/text-content.ts';

const MAX_LINE = 200;
const MAX_LINES = 6;
/** A line that has less of the text is not like it. */
const MIN_SHARED_PAIRS = 0.35;

/** Why no text can match in some places of a file. */
export const FOREIGN = 'the file has bytes that are not UTF-8, which no text can match';

interface NearestText {
  readonly line: number;
  readonly text: string;
  readonly diff: string;
  /** True if the diff has all of the wanted lines, and cuts none of those of the file. */
  readonly isWhole: boolean;
  /** True if no text can match there, because of bytes that are not UTF-8. */
  readonly isForeign: boolean;
  /** How the text looks the same here, and is not, or undefined if the difference can be seen. */
  readonly unseen: string | undefined;
}

/**
 * Finds the line of a file that is most like the first line of a text, by the characters that they share. Returns undefined
 * for a text of blanks, and if no line is like it. Looks from the offset `from` on, where a line starts, and then names one
 * in any case. Strings hold bytes (latin1). The result is for users.
 */
export function nearestText(bytes: string, wanted: string, from = 0): NearestText | undefined {
  const written = wanted.replace(/\n$/, '').split('\n');
  const lines = written.filter((line) => line.trim() !== '');
  const first = lines[0]?.trim().slice(0, MAX_LINE);
  if (first === undefined) return undefined;
  const unseen = findUnseen(bytes.slice(from), wanted);
  const best = bestLine(bytes, first, from + (unseen?.start ?? 0));
  const found = linesFrom(bytes, best.start, Math.min(lines.length, MAX_LINES));
  const isGiven = from > 0 || unseen !== undefined || !found.every(isText);
  if (!isGiven && sharedPairs(first, found[0] ?? '') < MIN_SHARED_PAIRS) return undefined;
  const removed = lines.slice(0, MAX_LINES).map((line) => `- ${show(line)}`);
  const added = found.map((line) => `+ ${show(line)}`);
  const isWhole =
    written.length === found.length && lines.length === found.length && found.every((line) => line.length <= MAX_LINE);
  const diff = [...removed, ...added].join('\n');
  const isForeign = !found.every(isText) || (!/^[\0-\x7f]*$/.test(wanted) && !isText(bytes));
  return { line: best.line, text: show((found[0] ?? '').trim()), diff, isWhole, isForeign, unseen: unseen?.told };
}

/** Reports whether bytes are UTF-8. The last character of a line that is cut does not count. */
function isText(bytes: string): boolean {
  return isUtf8(
    Buffer.from(bytes.length < 2 * MAX_LINE ? bytes : bytes.replace(/[\xc2-\xf4][\x80-\xbf]*$/, ''), 'latin1'),
  );
}

function bestLine(bytes: string, wanted: string, from: number): { line: number; start: number } {
  const counts = countBytes(wanted);
  let line = lineAt(bytes, from);
  const best = { line, start: from, score: -1 };
  for (let start = from; start <= bytes.length; line++) {
    const newline = bytes.indexOf('\n', start);
    const end = newline < 0 ? bytes.length : newline;
    const score = likeness(bytes.slice(start, Math.min(end, start + 2 * MAX_LINE)).trim(), wanted, counts);
    if (score > best.score) Object.assign(best, { line, start, score });
    if (newline < 0) break;
    start = newline + 1;
  }
  return best;
}

function countBytes(text: string): Int32Array {
  const counts = new Int32Array(256);
  for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i)] = (counts[text.charCodeAt(i)] as number) + 1;
  return counts;
}

/** Wanted bytes that are not matched yet in a line. Made once, since there may be half a million lines. */
const left = new Int32Array(256);

function likeness(line: string, wanted: string, wantedCounts: Int32Array): number {
  const text = line.slice(0, MAX_LINE);
  left.set(wantedCounts);
  let shared = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    const rest = left[byte] as number;
    if (rest <= 0) continue;
    left[byte] = rest - 1;
    shared++;
  }
  let prefix = 0;
  while (prefix < text.length && text[prefix] === wanted[prefix]) prefix++;
  return (shared + prefix / 2) / Math.max(text.length, wanted.length, 1);
}

function sharedPairs(text: string, line: string): number {
  const [wanted, there] = [text.toLowerCase(), line.toLowerCase()];
  const pairs =
    wanted.length < 2 ? [wanted] : Array.from({ length: wanted.length - 1 }, (_, i) => wanted.slice(i, i + 2));
  return pairs.filter((pair) => there.includes(pair)).length / pairs.length;
}

function linesFrom(bytes: string, start: number, count: number): string[] {
  const lines: string[] = [];
  for (let at = start; lines.length < count && at <= bytes.length; ) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.slice(at, Math.min(end, at + 2 * MAX_LINE)));
    if (newline < 0) break;
    at = newline + 1;
  }
  return lines;
}

function show(line: string): string {
  const text = Buffer.from(line.replace(/\r$/, ''), 'latin1').toString();
  return text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE)}…`;
}

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

/** Finds what differs only invisibly: the normal form, characters without width, spaces, letters of other scripts. */
function findUnseen(bytes: string, wanted: string): { start: number; told: string } | undefined {
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
