/** The largest file in which a match may cross lines, and the largest in UTF-16: both are held in memory whole. */
export const MAX_WHOLE_FILE = 32 * 1024 * 1024;
/** The largest file that is read at once, for a match within one line. */
export const SMALL_FILE = 1024 * 1024;
/** Processor time for a search in which the built-in engine reads files, in milliseconds. */
export const OWN_MS = 4_000;
/** The most files with matches: all of them are held in memory. */
export const MAX_FOUND_FILES = 200_000;
/** How many bytes of a matching line, from the match on, are kept to recognize it. */
export const SAMPLE_BYTES = 64;
