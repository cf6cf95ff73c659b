/** Puts a number and a tab before each line of a text that comes in chunks. */
export class LineNumberer {
  #line = 0;
  #atStart = true;

  number(chunk: string): string {
    if (chunk === '') return '';
    let text = '';
    for (const line of chunk.split(/(?<=\n)/)) {
      text += this.#atStart ? `${++this.#line}\t${line}` : line;
      this.#atStart = line.endsWith('\n');
    }
    return text;
  }
}
