import { escapePath } from '@jinn/context';
import { toVisibleLines } from '@jinn/core/text';
import { isDevice, isTerminal, variables, writeTo } from './start/jinni-system.ts';

const FIRST_MS = 500;
const EVERY_MS = 100;
const MB = 1024 * 1024;
const CLEAR = '\r\x1b[K';

const LARGEST = 10;
/** The descriptors of the process, as far as a reporter needs them. */
const STANDARD = { isDevice, isTerminal, variables, writeTo };
/** A longer document is not printed to a terminal. */
export const MOST_LINES = 500;

export interface WrittenTokens {
  readonly path: string;
  readonly tokens: number;
}

interface SummaryParts {
  readonly totals: string;
  readonly files: readonly WrittenTokens[];
  readonly leftOut: readonly string[];
  readonly places: readonly string[];
}

/** Prints what is not the document: warnings, errors and, on a terminal, the progress. */
export class Reporter {
  readonly #standard: typeof STANDARD;
  readonly #mayShow: boolean;
  /** Undefined until it is needed, because the modules of Node that know terminals take 7 ms to load. */
  #terminal: boolean | undefined;
  #files = 0;
  #bytes = 0;
  readonly #now: () => number;
  #next: number;
  #isShown = false;

  /** Makes a reporter. `now` returns milliseconds of a clock that only goes forward. */
  constructor(standard = STANDARD, now: () => number = () => process.uptime() * 1000) {
    this.#standard = standard;
    this.#now = now;
    this.#next = now() + FIRST_MS;
    this.#mayShow = standard.isDevice(2);
  }

  get isTerminal(): boolean {
    this.#terminal ??= this.#mayShow && this.#standard.isTerminal(2);
    return this.#terminal;
  }

  get #hasColours(): boolean {
    return this.isTerminal && !this.#standard.variables()['NO_COLOR'];
  }

  readonly warn = (sentence: string): void => this.#say('yellow', 'Warning', sentence);

  error(message: string): void {
    this.#say('red', 'Error', message);
  }

  line(text: string): void {
    this.#print(toVisibleLines(text));
  }

  /** Counts a file. Shows the progress when half a second has passed. */
  readonly progress = (bytes: number): void => {
    this.#files++;
    this.#bytes += bytes;
    if (!this.#mayShow || this.#now() < this.#next || !this.isTerminal) return;
    this.#show(`${this.#files} files, ${(this.#bytes / MB).toFixed(1)} MB`);
  };

  /** Shows the progress of work other than reading, when half a second has passed. */
  readonly step = (text: string): void => {
    if (this.#mayShow && this.#now() >= this.#next && this.isTerminal) this.#show(text);
  };

  /** Announces work that may take long and reports no progress. */
  begin(text: string): void {
    if (this.isTerminal) this.#show(text);
  }

  /** Prints the summary of a document that is not on the screen. */
  summary({ leftOut, places, ...parts }: SummaryParts): void {
    const { styleText } = process.getBuiltinModule('node:util');
    const colour = this.#hasColours ? styleText : (_: unknown, text: string) => text;
    const shown = { ...parts, leftOut: leftOut.map(toVisibleLines), places: places.map(toVisibleLines) };
    this.#print(drawSummary(shown, colour));
  }

  #show(text: string): void {
    this.#next = this.#now() + EVERY_MS;
    this.#isShown = true;
    this.#standard.writeTo(2, Buffer.from(`${CLEAR}jinni: ${text}`));
  }

  clear(): void {
    if (this.#isShown) this.#standard.writeTo(2, Buffer.from(CLEAR));
    this.#isShown = false;
  }

  #say(colour: 'yellow' | 'red', word: string, text: string): void {
    const shown = this.#hasColours ? process.getBuiltinModule('node:util').styleText(colour, word) : word;
    this.#print(`${shown}: ${toVisibleLines(text)}`);
  }

  #print(line: string): void {
    this.clear();
    this.#standard.writeTo(2, Buffer.from(`${line}\n`));
  }
}

type Colour = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

function drawSummary({ totals, files, leftOut, places }: SummaryParts, colour: Colour): string {
  const largest = files.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST);
  const counts = largest.map(({ tokens }) => Math.round(tokens).toLocaleString('en-US'));
  const width = Math.max(0, ...counts.map(({ length }) => length));
  return [
    colour('bold', totals),
    ...(files.length > LARGEST ? [`the ${LARGEST} largest:`] : []),
    ...largest.map(({ path }, i) => `  ${colour('dim', (counts[i] ?? '').padStart(width))}  ${escapePath(path)}`),
    ...leftOut.map((sentence) => colour('yellow', sentence)),
    ...places.map((sentence) => colour('green', sentence)),
  ].join('\n');
}
