/** The largest source file that is parsed, in bytes. Larger files are generated, and parsing them takes seconds. */
export const MAX_SOURCE_BYTES = 2 * 1024 * 1024;

/** Says why a larger file has no symbols. */
export const TOO_LARGE = `it is larger than ${MAX_SOURCE_BYTES / 1024 / 1024} MiB, too large for a syntax tree`;
