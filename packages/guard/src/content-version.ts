/** Up to so many bytes in all, summing here is faster than loading node:zlib, which loads node:stream. */
const SMALL_BYTES = 16_384;
const POLYNOMIAL = 0xedb88320;

/** Computes the version of content that comes in pieces. */
export interface VersionDigest {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/**
 * Makes a digest for the version of a content. A version is a short token that changes when the content changes: the
 * length and the CRC-32, each in base 36. It guards against accidents, in a tenth of the time of a cryptographic hash.
 * It is no proof against forgery; `include_checksum` gives a SHA-256.
 */
export function createVersionDigest(): VersionDigest {
  let sum = 0;
  let length = 0;
  return {
    update: (bytes) => {
      sum = sumOf(bytes, sum);
      length += bytes.length;
    },
    digest: () => `${length.toString(36)}-${sum.toString(36)}`,
  };
}

/** Returns the version of a whole content. */
export function versionOf(content: Uint8Array): string {
  const digest = createVersionDigest();
  digest.update(content);
  return digest.digest();
}

let summedHere = 0;

function sumOf(bytes: Uint8Array, before: number): number {
  summedHere += bytes.length;
  return summedHere < SMALL_BYTES ? crc32(bytes, before) : process.getBuiltinModule('node:zlib').crc32(bytes, before);
}

let table: Uint32Array | undefined;

function crc32(bytes: Uint8Array, before: number): number {
  table ??= makeTable();
  let sum = ~before;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ (table[(sum ^ (bytes[i] as number)) & 0xff] as number);
  return ~sum >>> 0;
}

/** Computes the CRC of each byte. The CRC is linear, so the CRC of a sum of powers of two is the sum of their CRCs. */
function makeTable(): Uint32Array {
  const remainders = new Uint32Array(256);
  let remainder = 1;
  for (let power = 128; power > 0; power >>= 1) {
    remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    for (let higher = 0; higher < 256; higher += 2 * power) {
      remainders[higher + power] = remainder ^ (remainders[higher] as number);
    }
  }
  return remainders;
}
