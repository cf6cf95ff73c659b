/** The largest file in which a match may cross lines: either engine holds it whole. */
export const MAX_WHOLE_FILE = 64 * 1024 * 1024;
/** How much of a match is kept, to know it again. */
export const SAMPLE_BYTES = 400;
