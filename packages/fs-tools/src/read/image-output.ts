import type { ToolOutput } from '@jinn/core';
import { type Picture, readPicture } from './picture.ts';
import type { LineScan } from './scan-lines.ts';

/** Larger images are described. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** The most for a model: 5 MB of base64. */
const MAX_MODEL_BYTES = 3.75 * 1024 * 1024;
/** A larger image is not sent, whatever the arguments say. */
const MAX_LARGE_IMAGE_BYTES = 16 * 1024 * 1024;
/**
 * The types that the interfaces of models accept. Another one stays in the conversation, and every later request fails.
 */
const MODEL_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_MODEL_SIDE = 8_000;

export interface ImageRead {
  readonly mimeType: string;
  /** True if the answer goes to a model unchanged. */
  readonly isForModel: boolean;
  /** True if the caller asked for a larger image than usual. */
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

/** Returns why an image is not sent, and what helps; undefined if it is sent. */
function faultOf(image: ImageRead, size: number, picture: Picture | undefined): string | undefined {
  const { mimeType, isForModel } = image;
  const limit = limitOf(image);
  const orAsIs = isForModel || size > MAX_LARGE_IMAGE_BYTES ? '' : ', or pass large_image: true to get it as it is';
  if (size > limit) return `it is over ${limit / 1024 / 1024} MB; scale it down${orAsIs}`;
  if (!isForModel) return undefined;
  if (!MODEL_TYPES.has(mimeType)) return 'models take PNG, JPEG, GIF and WebP alone; convert it';
  if (!picture?.isWhole) return 'its header or its end is broken';
  const isTooLong = Math.max(picture.width, picture.height) > MAX_MODEL_SIDE;
  return isTooLong ? `a side is over ${MAX_MODEL_SIDE} pixels; scale it down` : undefined;
}

function limitOf({ isForModel, isLarge }: ImageRead): number {
  if (isForModel) return MAX_MODEL_BYTES;
  return isLarge ? MAX_LARGE_IMAGE_BYTES : MAX_IMAGE_BYTES;
}
