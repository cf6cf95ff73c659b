import { crc32 } from 'node:zlib';

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
      sum = crc32(bytes, sum);
      length += bytes.length;
    },
    digest: () => `${length.toString(36)}-${sum.toString(36)}`,
  };
}
