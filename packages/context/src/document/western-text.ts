/** Codes of CP1252 that texts rarely have: undefined codes, `ƒ`, daggers, and marks that are letters elsewhere. */
const RARE = new Set([0x81, 0x82, 0x83, 0x86, 0x87, 0x88, 0x89, 0x8d, 0x8f, 0x90, 0x98, 0x9d]);
const RUN = /[A-Za-z]?([\x80-\xff]+)(?=([A-Za-z]?))/g;
/** Codes above 0x7f in a row that are no word of Western Europe: three, or two without another letter beside them. */
const ODD =
  /[\x80-\xff]{3,}|(?<![A-Za-z\x80-\xff])(?:[\x80-\xff][\xc0-\xff]|[\xc0-\xff][\x80-\xff])(?![A-Za-z\x80-\xff])/;

/**
 * Reports whether bytes that are not UTF-8 may be CP1252 or Latin-1. Texts of Western Europe have few codes above 0x7f
 * in a row. Those of East Asia, and Cyrillic ones, have little else.
 */
export function isWesternText(bytes: Buffer): boolean {
  let [high, odd] = [0, 0];
  for (const [before, run = '', next] of bytes.toString('latin1').matchAll(RUN)) {
    high += run.length;
    const isOdd = new Set(run).size > 1 && ODD.test(before + next);
    odd += isOdd ? run.length : [...run].filter((char) => RARE.has(char.charCodeAt(0))).length;
  }
  return odd <= (high * 2) / 3;
}
