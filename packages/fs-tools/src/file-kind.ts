/** What a file is, judged on its first bytes (seeds/jinn-security, file types). */
export type FileKind =
  | { readonly kind: 'text' | 'binary' | 'pdf' }
  | { readonly kind: 'image'; readonly mimeType: string };

/** How many bytes from the start decide. */
export const SNIFF_BYTES = 512;

/** The DIB header sizes that exist; a text that begins with "BM" has none of them. */
const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);

const IMAGES: readonly (readonly [mimeType: string, matches: (head: Buffer) => boolean])[] = [
  ['image/png', (head) => head.indexOf('\x89PNG\r\n\x1a\n', 0, 'latin1') === 0],
  ['image/jpeg', (head) => head.indexOf('\xff\xd8\xff', 0, 'latin1') === 0],
  ['image/gif', (head) => ['GIF87a', 'GIF89a'].includes(head.toString('latin1', 0, 6))],
  ['image/webp', (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 14) === 'WEBPVP'],
  [
    'image/bmp',
    (head) => head.toString('latin1', 0, 2) === 'BM' && head.length >= 26 && BMP_HEADERS.has(head.readUInt32LE(14)),
  ],
  [
    'image/x-icon',
    (head) => head.indexOf('\0\0\x01\0', 0, 'latin1') === 0 && head.length >= 22 && head.readUInt16LE(4) > 0,
  ],
];

/** Judges `head`, the first SNIFF_BYTES of the file at `path`. The name decides only for SVG and PDF. */
export function kindOfFile(head: Buffer, path: string): FileKind {
  const mimeType = IMAGES.find(([, matches]) => matches(head))?.[0];
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  const name = path.toLowerCase();
  if (head.toString('latin1', 0, 5) === '%PDF-' || name.endsWith('.pdf')) return { kind: 'pdf' };
  if (head.includes(0)) return { kind: 'binary' };
  return name.endsWith('.svg') && looksLikeMarkup(head)
    ? { kind: 'image', mimeType: 'image/svg+xml' }
    : { kind: 'text' };
}

function looksLikeMarkup(head: Buffer): boolean {
  return head.toString().replace('\ufeff', '').trimStart().startsWith('<');
}
