import { isBinary } from '@jinn/workspace';

/** The kind of a file, by its first bytes. */
export type FileKind =
  | { readonly kind: 'text' | 'pdf' }
  /** `format` is undefined if it is not known. */
  | { readonly kind: 'binary'; readonly format: string | undefined }
  | { readonly kind: 'image'; readonly mimeType: string };

/** The DIB header sizes that exist; a text that begins with "BM" has none of them. */
const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);

/** The first bytes of the formats, and a further test that a file is an image of that format. */
const IMAGES: readonly (readonly [mimeType: string, magic: string, fits: (head: Buffer) => boolean])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n', () => true],
  ['image/jpeg', '\xff\xd8\xff', () => true],
  ['image/gif', 'GIF8', (head) => ['7a', '9a'].includes(head.toString('latin1', 4, 6))],
  ['image/webp', 'RIFF', (head) => head.toString('latin1', 8, 14) === 'WEBPVP'],
  ['image/bmp', 'BM', (head) => head.length >= 26 && BMP_HEADERS.has(head.readUInt32LE(14))],
  ['image/x-icon', '\0\0\x01\0', (head) => head.length >= 22 && head.readUInt16LE(4) > 0],
];

/** Formats of binary files, by the bytes (latin1) at an offset. */
const FORMATS: readonly (readonly [format: string, magic: string, offset?: number])[] = [
  ['gzip archive', '\x1f\x8b'],
  ['ZIP archive', 'PK\x03\x04'],
  ['tar archive', 'ustar', 257],
  ['xz archive', '\xfd7zXZ\0'],
  ['7z archive', "7z\xbc\xaf'\x1c"],
  ['zstd archive', '\x28\xb5\x2f\xfd'],
  ['SQLite database', 'SQLite format 3\0'],
  ['ELF program', '\x7fELF'],
  ['Windows program', 'MZ\x90\0'],
  ['Mach-O program', '\xcf\xfa\xed\xfe'],
  ['WebAssembly', '\0asm'],
  ['Java class', '\xca\xfe\xba\xbe'],
  ['WOFF font', 'wOFF'],
  ['WOFF2 font', 'wOF2'],
  ['TrueType font', '\0\x01\0\0\0'],
  ['OpenType font', 'OTTO'],
  ['WAV audio', 'WAVE', 8],
  ['Ogg audio', 'OggS'],
  ['MP3 audio', 'ID3'],
  ['TIFF image', 'II*\0'],
  ['TIFF image', 'MM\0*'],
];

/** Reports whether a file is an image that is text. */
export function isSvg(found: FileKind): boolean {
  return found.kind === 'image' && found.mimeType === 'image/svg+xml';
}

/**
 * Returns the kind of a file by `head`, the first SNIFF_BYTES of the file at `path`. The name decides only for SVG and
 * PDF.
 */
export function kindOfFile(head: Buffer, path: string): FileKind {
  const mimeType = IMAGES.find(([, magic, fits]) => isAt(head, magic) && fits(head))?.[0];
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  const name = path.toLowerCase();
  if (isAt(head, '%PDF-') || name.endsWith('.pdf')) return { kind: 'pdf' };
  if (isBinary(head)) return { kind: 'binary', format: formatOf(head) };
  return name.endsWith('.svg') && looksLikeMarkup(head)
    ? { kind: 'image', mimeType: 'image/svg+xml' }
    : { kind: 'text' };
}

/** Reports whether the bytes at an offset are those of `magic`, one a letter. */
function isAt(head: Buffer, magic: string, offset = 0): boolean {
  return head[offset] === magic.charCodeAt(0) && head.toString('latin1', offset, offset + magic.length) === magic;
}

/** Describes the kind of a file that is not text; returns undefined for a text. */
export function nameKind(found: FileKind): string | undefined {
  switch (found.kind) {
    case 'text':
      return undefined;
    case 'image':
      return found.mimeType;
    case 'pdf':
      return 'PDF';
    case 'binary':
      return found.format ?? 'binary';
  }
}

function formatOf(head: Buffer): string | undefined {
  if (head.toString('latin1', 4, 8) === 'ftyp') return formatOfBrands(head);
  return FORMATS.find(([, magic, offset]) => isAt(head, magic, offset))?.[0];
}

/**
 * Returns the format of a file that begins with an `ftyp` box. The box names the file's own format, and others in which
 * it can be read.
 */
function formatOfBrands(head: Buffer): string {
  const brands = head.toString('latin1', 8, Math.min(head.length, head.readUInt32BE(0)));
  if (/avi[fs]/.test(brands)) return 'AVIF image';
  return /hei[cmsx]|hev[cx]|mif1|msf1/.test(brands) ? 'HEIC image' : 'MP4 video';
}

function looksLikeMarkup(head: Buffer): boolean {
  return head.toString().replace('\ufeff', '').trimStart().startsWith('<');
}
