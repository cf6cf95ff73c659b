/** A command of the corpus, with the verdict that a careful person gives and the reason. */
export interface Entry {
  readonly command: string;
  readonly expected: string;
  /** The verdict that the classifier gives instead, where that is known and accepted for now. */
  readonly known: string | undefined;
  readonly why: string;
}

const HEADER = /^=== (safe|caution|dangerous)(?: \(known: (safe|caution|dangerous)\))?: (.+)$/;
const FENCE = '"""';

/**
 * Reads a file of the corpus: a command a line, or between lines of three double quotes. A line such as
 * `=== caution: changes files` gives the verdict and the reason for the commands below it.
 */
export function readEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  let section: Omit<Entry, 'command'> = { expected: '', known: undefined, why: '' };
  let block: string[] | undefined;
  for (const line of text.split('\n')) {
    const [, expected = '', known, why = ''] = HEADER.exec(line) ?? [];
    if (line === FENCE) {
      if (block) entries.push({ ...section, command: block.join('\n') });
      block = block ? undefined : [];
    } else if (block) block.push(line);
    else if (expected !== '') section = { expected, known, why };
    else if (line !== '') entries.push({ ...section, command: line });
  }
  return entries;
}

/** Reads only the commands. */
export function readCorpus(text: string): string[] {
  return readEntries(text).map(({ command }) => command);
}
