import { type CallOptions, call } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { readFile } from '../read-file.ts';
import { readPicture } from './image-output.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const base64 = (text: string) => Buffer.from(text, 'base64');

/** Pictures of 3x2 pixels: their headers and ends, and little between. */
const PICTURES = {
  'p.png': base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==',
  ),
  'p.jpg': hex(
    'ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 000b 08 0002 0003 01 011100 ffc4 0005 00 0000 ffda 0008 01 01 00 00 3f 00 d2cf20 ffd9',
  ),
  'p.gif': hex(
    '474946383961 0300 0200 80 00 00 ffffff000000 21f90401000001 00 2c 0000 0000 0300 0200 00 02 02 8c5f 00 3b',
  ),
  'p.webp': hex('52494646 1a000000 57454250 5650384c 0d000000 2f 02400000 0011200f ffd7fd0f 00'),
} as const;

const SIZES = { 'p.png': '3x2', 'p.jpg': '3x2', 'p.gif': '3x2', 'p.webp': '3x2' } as const;
const TYPES = { 'p.png': 'image/png', 'p.jpg': 'image/jpeg', 'p.gif': 'image/gif', 'p.webp': 'image/webp' } as const;
const NAMES = Object.keys(PICTURES) as (keyof typeof PICTURES)[];

/** As MCP calls it. */
const forModel = (path: string, files: NonNullable<CallOptions['files']>, args: object = {}) =>
  call(readFile, { path, ...args }, { files, maxResult: 20_000 });

describe('for a model', () => {
  test.for(NAMES)('sends %s with its size', async (name) => {
    const bytes = PICTURES[name];
    expect(await forModel(name, PICTURES)).toMatchObject({
      result: `[image: ${TYPES[name]}, ${SIZES[name]}, ${bytes.length} bytes]`,
      content: [{ type: 'image', mimeType: TYPES[name], data: bytes.toString('base64') }],
      meta: { image: { width: 3, height: 2 } },
    });
  });

  test.for(NAMES)('sends no part of %s', async (name) => {
    const bytes = PICTURES[name];
    for (let length = 0; length < bytes.length; length++)
      expect(readPicture(bytes.subarray(0, length), TYPES[name])?.isWhole ?? false).toBe(false);
    for (const length of [17, bytes.length - 1]) {
      const { result, content } = await forModel('f', { f: bytes.subarray(0, length) });
      expect(result).toMatch(/^\[image: .* — not sent, for its header or its end is broken\]$/);
      expect(content).toBeUndefined();
    }
  });

  test.for([
    [
      'BMP',
      hex(`424d 46000000 00000000 36000000 28000000 03000000 feffffff ${'00'.repeat(28)}`),
      'image/bmp, 3x2, 54 bytes',
    ],
    [
      'old BMP',
      hex(`424d 1a000000 00000000 1a000000 0c000000 0300 0200 0100 1800 ${'00'.repeat(24)}`),
      'image/bmp, 3x2, 50 bytes',
    ],
    ['icon', hex(`00000100 0100 10 00 ${'00'.repeat(30)}`), 'image/x-icon, 16x256, 38 bytes'],
  ] as const)('describes a %s', async ([, bytes, what]) => {
    const { result, content } = await forModel('f', { f: bytes });
    expect(result).toBe(`[image: ${what} — not sent, for models only take PNG, JPEG, GIF and WebP: convert it]`);
    expect(content).toBeUndefined();
  });

  test('describes a picture with a side over 8000 pixels, and one without pixels', async () => {
    const withWidth = (width: number) => {
      const png = Buffer.from(PICTURES['p.png']);
      png.writeUInt32BE(width, 16);
      return png;
    };
    const files = { long: withWidth(8_001), full: withWidth(8_000), none: withWidth(0) };
    expect((await forModel('long', files)).result).toMatch(
      /^\[image: image\/png, 8001x2, .* — not sent, for a side is over 8000/,
    );
    expect((await forModel('full', files)).content).toHaveLength(1);
    expect((await forModel('none', files)).result).toMatch(/^\[image: image\/png, \d+ bytes — not sent, .* broken\]$/);
  });

  test('describes one over 3.75 MB, whatever is asked for', async () => {
    const files = { f: Buffer.concat([PICTURES['p.png'], Buffer.alloc(3.75 * 1024 * 1024)]) };
    const { result, content } = await forModel('f', files, { large_image: true });
    expect(result).toMatch(
      /^\[image: image\/png, 3x2, \d+ bytes — not sent, for it is over 3\.75 MB: scale it down\]$/,
    );
    expect(content).toBeUndefined();
  });

  test('gives an SVG as text', async () => {
    expect((await forModel('d.svg', { 'd.svg': '<svg/>\n' })).result).toBe('1\t<svg/>');
  });
});

describe('for a program', () => {
  test('sends every picture as it is, with its size in meta', async () => {
    const files = { ...PICTURES, cut: PICTURES['p.png'].subarray(0, 8), 'd.svg': '<svg/>' };
    for (const path of Object.keys(files)) {
      const { result, content } = await call(readFile, { path }, { files });
      expect([path, result, content?.length]).toEqual([path, undefined, 1]);
    }
    expect((await call(readFile, { path: 'p.gif' }, { files })).meta).toMatchObject({ image: { width: 3, height: 2 } });
  });
});

test('reads the sizes of the other kinds of WebP', () => {
  const head = '52494646 16000000 57454250';
  const lossy = hex(`${head} 56503820 0a000000 000000 9d012a 0340 0280`);
  const extended = hex(`${head} 56503858 0a000000 00000000 020000 010000`);
  for (const bytes of [lossy, extended])
    expect(readPicture(bytes, 'image/webp')).toEqual({ width: 3, height: 2, isWhole: true });
});

test('takes the preview in a JPEG for no end of it', () => {
  const preview = hex('ffe1 0006 ffd8 ffd9');
  const cut = Buffer.concat([hex('ffd8'), preview, PICTURES['p.jpg'].subarray(2, -2)]);
  expect(readPicture(cut, 'image/jpeg')).toEqual({ width: 3, height: 2, isWhole: false });
});

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), fc.uint8Array({ maxLength: 60 }), fc.nat(40), (name, noise, at) => {
      const bytes = Buffer.concat([PICTURES[name].subarray(0, at), noise]);
      for (const type of [...Object.values(TYPES), 'image/bmp', 'image/x-icon', 'image/svg+xml'])
        readPicture(bytes, type);
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
});
