import { holdsWord, wordsIn } from '../arguments.ts';
import { remembered } from '../by-name.ts';

/** A row of a table that is kept as text: `names > subcommands | !trait !trait=value words`. */
export class TableRow {
  /** The first operands, of which one must be there; empty if the row names none. */
  readonly subs: readonly string[];
  /** The reason that stands above the row. */
  readonly reason: string;
  readonly #text: string;
  readonly #lines: readonly string[];
  #read: { readonly is: ReadonlyMap<string, string>; readonly words: readonly string[] } | undefined;

  constructor(line: string, reason: string, lines: readonly string[]) {
    const bar = line.indexOf(' |');
    const [, subs] = line.slice(0, bar).split(' >');
    this.subs = subs?.split(',').map((sub) => sub.trim()) ?? [];
    this.reason = reason;
    this.#text = line.slice(bar + 2);
    this.#lines = lines;
  }

  /** The traits, each with its value, which may be empty. */
  get is(): ReadonlyMap<string, string> {
    return this.#parts.is;
  }

  get words(): readonly string[] {
    return this.#parts.words;
  }

  /** The row is read when it is needed: a program may have many, and a command needs one. */
  get #parts() {
    if (this.#read) return this.#read;
    const words = expand(this.#text, this.#lines);
    const traits = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1).split(/=(.*)/s));
    this.#read = {
      is: new Map(traits.map(([trait = '', value = '']) => [trait, value])),
      words: words.filter((word) => !word.startsWith('!')),
    };
    return this.#read;
  }
}

/**
 * Returns the rows with a name. A line `= why` gives the reason of the rows below it; `@name` the words of the row
 * `@name`.
 */
export function readTable(text: string): (name: string) => readonly TableRow[] {
  let lines: readonly string[] | undefined;
  return remembered((name) => {
    lines ??= text.split('\n');
    return findRows(lines, name);
  });
}

function findRows(lines: readonly string[], name: string): TableRow[] {
  const rows: TableRow[] = [];
  let reason = '';
  for (const line of lines) {
    if (line.startsWith('= ')) reason = line.slice(2);
    else if (line.includes(name) && !line.startsWith('#')) {
      const [bar, subs] = [line.indexOf(' |'), line.indexOf(' > ')];
      const names = line.slice(0, subs === -1 ? bar : Math.min(bar, subs));
      if (holdsWord(names, name)) rows.push(new TableRow(line, reason, lines));
    }
  }
  return rows;
}

function expand(text: string, lines: readonly string[]): string[] {
  return wordsIn(text).flatMap((word) => {
    if (!word.startsWith('@')) return [word];
    const shared = lines.find((line) => line.startsWith(`${word} | `)) ?? '';
    return expand(shared.slice(word.length + 3), lines);
  });
}
