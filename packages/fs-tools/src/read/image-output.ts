import type { ToolOutput } from '@jinn/core';
import type { LineScan } from './text-content.ts';

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** The most for a model: 5 MB of base64. */
const MAX_MODEL_BYTES = 3.75 * 1024 * 1024;
/** A larger image is not sent, no matter what the arguments say. */
const MAX_LARGE_IMAGE_BYTES = 16 * 1024 * 1024;
/**
 * The types that the interfaces of models accept. Another one stays in the conversation, and every later request fails.
 */
const MODEL_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_MODEL_SIDE = 8_000;

interface ImageRead {
  readonly mimeType: string;
  readonly isForModel: boolean;
  readonly isLarge: boolean;
  readonly meta: object;
}

/** Answers with an image, or with a line that describes it and says why it is not sent. */
export function toImageOutput(scan: LineScan, image: ImageRead): ToolOutput {
  const { mimeType, isForModel } = image;
  const bytes = scan.slice(0, Math.min(scan.size, limitOf(image)));
  const picture = readPicture(bytes, mimeType);
  const size = picture && `${picture.width}x${picture.height}`;
  const what = [`image: ${mimeType}`, size, `${scan.size} bytes`].filter(Boolean).join(', ');
  const fault = faultOf(image, scan.size, picture);
  const meta = { ...image.meta, ...(picture && { image: { width: picture.width, height: picture.height } }) };
  if (fault !== undefined) return { text: `[${what} — not sent, for ${fault}]`, meta };
  const content = [{ type: 'image', mimeType, data: bytes.toString('base64') }] as const;
  return { ...(isForModel && { text: `[${what}]` }), content, meta };
}

function faultOf(image: ImageRead, size: number, picture: Picture | undefined): string | undefined {
  const { mimeType, isForModel } = image;
  const limit = limitOf(image);
  const orAsIs = isForModel || size > MAX_LARGE_IMAGE_BYTES ? '' : ', or pass large_image: true to get it as it is';
  if (size > limit) return `it is over ${limit / 1024 / 1024} MB: scale it down${orAsIs}`;
  if (!isForModel) return undefined;
  if (!MODEL_TYPES.has(mimeType)) return 'models only take PNG, JPEG, GIF and WebP: convert it';
  if (!picture?.isWhole) return 'its header or its end is broken';
  const isTooLong = Math.max(picture.width, picture.height) > MAX_MODEL_SIDE;
  return isTooLong ? `a side is over ${MAX_MODEL_SIDE} pixels: scale it down` : undefined;
}

function limitOf({ isForModel, isLarge }: ImageRead): number {
  if (isForModel) return MAX_MODEL_BYTES;
  return isLarge ? MAX_LARGE_IMAGE_BYTES : MAX_IMAGE_BYTES;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly isWhole: boolean;
}

/** The chunk that ends a PNG, after its length of 0. */
const PNG_END = Buffer.from('IEND\xaeB`\x82', 'latin1');
const JPEG_END = Buffer.of(0xff, 0xd9);
/** No picture is smaller, and all formats but JPEG have the size of the picture in these bytes. */
const SMALLEST_BYTES = 30;
/** The markers of a JPEG from 0xc0 to 0xcf that start no frame. */
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

const READERS: Readonly<Record<string, (bytes: Buffer) => Picture | undefined>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/gif': readGif,
  'image/webp': (bytes) => ({ ...sizeOfWebp(bytes), isWhole: bytes.readUInt32LE(4) + 8 <= bytes.length }),
  'image/bmp': (bytes) => ({ ...sizeOfBmp(bytes), isWhole: false }),
  'image/x-icon': (bytes) => ({ width: bytes[6] || 256, height: bytes[7] || 256, isWhole: false }),
};

/** Reads the size of a picture. Returns undefined for a broken header, or an unknown format. */
export function readPicture(bytes: Buffer, mimeType: string): Picture | undefined {
  const picture = bytes.length < SMALLEST_BYTES ? undefined : READERS[mimeType]?.(bytes);
  return picture && picture.width > 0 && picture.height > 0 ? picture : undefined;
}

function readPng(bytes: Buffer): Picture | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isWhole: bytes.includes(PNG_END, 25) };
}

/** Looks for the end after the first scan starts: a preview in a segment before that is a JPEG of its own. */
function readJpeg(bytes: Buffer): Picture | undefined {
  let size = { width: 0, height: 0 };
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xda) return { ...size, isWhole: bytes.includes(JPEG_END, at) };
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
    if (isFrame) size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return { ...size, isWhole: false };
}

function readGif(bytes: Buffer): Picture {
  let frames = 0;
  let at = 13 + tableBytes(bytes[10]);
  for (; bytes[at] === 0x21 || bytes[at] === 0x2c; at++) {
    if (bytes[at] === 0x21) at += 2;
    else {
      frames++;
      at += 11 + tableBytes(bytes[at + 9]);
    }
    while (bytes[at]) at += 1 + (bytes[at] ?? 0);
  }
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), isWhole: frames > 0 && bytes[at] === 0x3b };
}

function tableBytes(flags = 0): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function sizeOfWebp(bytes: Buffer) {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
}

/** Reads the size of a BMP. A negative height means that the rows go from the top to the bottom. */
function sizeOfBmp(bytes: Buffer) {
  const isOld = bytes.readUInt32LE(14) === 12;
  if (isOld) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}
