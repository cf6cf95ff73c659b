/** Below this, summing here is cheaper than loading node:zlib, which brings node:stream with it. */
const SMALL_BYTES = 16_384;
const POLYNOMIAL = 0xedb88320;

/** Computes a content version while the content goes by. */
export interface VersionDigest {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/**
 * A short token that changes when content changes: its length and CRC-32, each in base 36 (design section 5).
 * It guards against accidents, at a tenth of the cost of a cryptographic hash; it is no proof against forgery, and
 * `include_checksum` gives a SHA-256 where one is wanted.
 */
export function createVersionDigest(): VersionDigest {
  let sum = 0;
  let length = 0;
  return {
    update: (bytes) => {
      sum = bytes.length < SMALL_BYTES ? crc32(bytes, sum) : process.getBuiltinModule('node:zlib').crc32(bytes, sum);
      length += bytes.length;
    },
    digest: () => `${length.toString(36)}-${sum.toString(36)}`,
  };
}

let table: Uint32Array | undefined;

function crc32(bytes: Uint8Array, before: number): number {
  table ??= makeTable();
  let sum = ~before;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ (table[(sum ^ (bytes[i] as number)) & 0xff] as number);
  return ~sum >>> 0;
}

/** The remainder of each byte; the step is linear, so that of a sum of powers of two is the sum of theirs. */
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
