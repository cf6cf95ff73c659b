import { isBinary } from '../guard/index.ts';
import { type Charset, openCharset } from './charset.ts';
import { hasControls, wideEncoding } from './wide.ts';

/** How much of the lines that are not ASCII decides. */
const SAMPLE_BYTES = 4_000;
/** Below this confidence, most answers of the detector were wrong in the corpus of `bench/encodings.mjs`. */
const LEAST = 0.01;
/** The most candidates of the detector that are tried. */
const MAX_TRIED = 6;
/** The encodings that the detector may find, by its names. */
const FOUND: Readonly<Record<string, string>> = {
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1252: 'windows-1252',
  cp1253: 'windows-1253',
  cp1254: 'windows-1254',
  cp1255: 'windows-1255',
  cp1256: 'windows-1256',
  cp1257: 'windows-1257',
  cp1258: 'windows-1258',
  'iso8859-2': 'iso-8859-2',
  'iso8859-5': 'iso-8859-5',
  'iso8859-7': 'iso-8859-7',
  'iso8859-9': 'iso-8859-9',
  'iso8859-15': 'iso-8859-15',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  cp932: 'shift_jis',
  euc_jis_2004: 'euc-jp',
  gb18030: 'gb18030',
  big5hkscs: 'big5',
  cp949: 'euc-kr',
  euc_kr: 'euc-kr',
  'mac-roman': 'macintosh',
  cp437: 'ibm437',
  cp850: 'ibm850',
};
const WESTERN = 'windows-1252';

/** Returns ISO-2022-JP if a content of ASCII has its escapes, and can be read by them. */
export function escapedEncoding(content: Buffer): string | undefined {
  const hasEscape = content.includes('\x1b$B') || content.includes('\x1b$@');
  if (!hasEscape || content.some((byte) => byte >= 0x80)) return undefined;
  try {
    new TextDecoder('iso-2022-jp', { fatal: true }).decode(content);
    return 'iso-2022-jp';
  } catch {
    return undefined;
  }
}

/** Guesses the encoding of a content by its bytes. Undefined if it is unknown. */
export async function detectEncoding(content: Buffer): Promise<string | undefined> {
  if (isBinary(content)) return wideEncoding(content);
  const sample = linesBeyondAscii(content);
  if (isMostlyUtf8(sample) || hasControls(sample.toString('latin1'))) return undefined;
  if (hasOnlySymbols(sample)) return WESTERN;
  const { chardet } = await import('jschardet');
  const found = chardet.detectAll(sample, {
    includeEncodings: Object.keys(FOUND),
    compatNames: false,
    ignoreThreshold: true,
    noMatchEncoding: 'cp1252',
    emptyInputEncoding: 'cp1252',
  });
  const fitting: { charset: Charset; text: string; confidence: number }[] = [];
  for (const { encoding, confidence } of found) {
    if (fitting.length === MAX_TRIED) break;
    const charset = await openCharset(FOUND[encoding ?? ''] ?? WESTERN);
    const text = charset?.decode(sample).toString() ?? '';
    if (charset && fits(text)) fitting.push({ charset, text, confidence });
  }
  const [best] = fitting;
  if (!best || best.confidence < LEAST) return undefined;
  const isWestern = fitting.some(({ charset, text }) => charset.name === WESTERN && text === best.text);
  return isWestern ? WESTERN : best.charset.name;
}

function linesBeyondAscii(content: Buffer): Buffer {
  const lines: Buffer[] = [];
  let length = 0;
  for (let start = 0; start < content.length && length < SAMPLE_BYTES; ) {
    const newline = content.indexOf(10, start);
    const end = newline < 0 ? content.length : newline + 1;
    const line = content.subarray(start, Math.min(end, start + SAMPLE_BYTES));
    start = end;
    if (line.every((byte) => byte < 0x80)) continue;
    lines.push(line);
    length += line.length;
  }
  return Buffer.concat(lines);
}

/** A file that is UTF-8 but for a few bytes stays one. */
function isMostlyUtf8(sample: Buffer): boolean {
  const bytes = sample.toString('latin1');
  const beyond = bytes.match(/[\x80-\xff]/g)?.length ?? 0;
  const whole = bytes.match(/[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g) ?? [];
  return 3 * whole.join('').length >= 2 * beyond;
}

/** Reports whether all bytes beyond ASCII are signs in Windows-1252 that stand alone, as in `10 °C`, `© 2020` and `don’t`. */
function hasOnlySymbols(sample: Buffer): boolean {
  const others = /[\x80-\xa0\xaa\xb5\xba\xc0-\xff]|[A-Za-z\x80-\xff][\xa1-\xbf]|[\xa1-\xbf](?![CF]\b)[A-Za-z]/;
  return !others.test(sample.toString('latin1').replaceAll(/(?<=[a-z])\x92(?=[a-z]{1,2}\b)/gi, "'"));
}

/** Reports whether a text may be a natural one: it has no broken characters, and no words of two scripts. */
function fits(text: string): boolean {
  if (/[\ufffd\x80-\x9f]/.test(text)) return false;
  const other = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0;
  const mixed = text.match(/[a-z](?=(?!\p{Script=Latin})\p{L})|(?<=(?!\p{Script=Latin})\p{L})[a-z]/giu)?.length ?? 0;
  // Languages without blanks between words put Latin ones next to theirs.
  return /[\u3000-\u9fff\uac00-\ud7ff]/.test(text) ? mixed <= other : 2 * mixed <= other;
}
