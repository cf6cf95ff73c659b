const MAX_LENGTH = 255;
/** A name as it is kept has no blank, slash or colon. */
const OTHERS = /[^\w.@-]+/gu;

/**
 * Makes the name of a person from what a provider or proxy calls them; other characters than those of names are written
 * as in a URL, so that two people never share a name. Returns undefined if the text is not a name.
 */
export function toPersonName(given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '' || given.length > MAX_LENGTH || !given.isWellFormed()) return undefined;
  const toHex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return given.replace(OTHERS, (text) => encodeURIComponent(text).replace(/[!'()*~]/g, toHex));
}
