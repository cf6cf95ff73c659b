/** The line of an offset, from 1; a line ends with `\n`. */
export function lineAt(text: string, offset: number): number {
  return createLineCounter(text)(offset);
}

/** Makes a function that gives the line of an offset, for offsets that grow: it reads the text once in all. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++;
    return line;
  };
}
