const BACKTICK = 0x60;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** Returns the length of the longest run of three or more backticks at the start of a line, after blanks; 0 if none. */
export function longestFence(text: Buffer): number {
  let longest = 0;
  for (let at = text.indexOf('```'); at >= 0; ) {
    let end = at + 3;
    while (text[end] === BACKTICK) end++;
    if (end - at > longest && beginsLine(text, at)) longest = end - at;
    at = text.indexOf('```', end);
  }
  return longest;
}

function beginsLine(text: Buffer, at: number): boolean {
  let before = at - 1;
  while (text[before] === SPACE || text[before] === TAB) before--;
  return before < 0 || text[before] === NEWLINE || text[before] === RETURN;
}
