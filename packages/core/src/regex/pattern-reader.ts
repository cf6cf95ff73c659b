import { ToolError } from '../errors/index.ts';

/** Longer than any opening of a group, count or named class. */
const LOOK_AHEAD = 64;
const MAX_SHOWN = 500;

const SEARCH_A_LINE = 'lines are searched one by one: search for a part that is in one line';

/** A part of a pattern, and what to write instead; a function gets the texts before and after it. */
interface Rewriting {
  readonly at: number;
  readonly length: number;
  readonly write: string | ((before: string, after: string) => string);
}

/** Reads a pattern character by character, and makes errors that name a position. */
export class PatternReader {
  at = 0;
  readonly length: number;
  readonly #chars: readonly string[];
  readonly #suggestion: string;
  readonly #acrossSuggestion: string;

  constructor(pattern: string, suggestion: string, acrossSuggestion = SEARCH_A_LINE) {
    this.#chars = [...pattern];
    this.length = this.#chars.length;
    this.#suggestion = suggestion;
    this.#acrossSuggestion = acrossSuggestion;
  }

  get isAtEnd(): boolean {
    return this.at >= this.length;
  }

  next(): string {
    return this.#chars[this.at++] as string;
  }

  peek(offset = 0): string {
    return this.#chars[this.at + offset] ?? '';
  }

  take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#chars[this.at + i] !== text[i]) return false;
    this.at += text.length;
    return true;
  }

  takeUpTo(count: number): string {
    const text = this.#chars.slice(this.at, this.at + count).join('');
    this.at += count;
    return text;
  }

  /** Reads up to `end` and past it; the result is without `end`. An error names the position `at`. */
  until(end: string, at: number): string {
    const found = this.#chars.indexOf(end, this.at);
    if (found < 0) throw this.wrong(`missing ${end}`, at);
    const text = this.takeUpTo(found - this.at);
    this.at++;
    return text;
  }

  ahead(regex: RegExp): RegExpExecArray | null {
    return regex.exec(this.#chars.slice(this.at, this.at + LOOK_AHEAD).join(''));
  }

  wrong(why: string, at: number | undefined = this.at, suggestion = this.#suggestion): ToolError {
    return new ToolError('invalid_regex', `invalid regex: ${why}, at character ${at + 1}`, { suggestion });
  }

  unsupported(why: string, { at, length, write }: Rewriting): ToolError {
    const [before, after] = [this.#chars.slice(0, at).join(''), this.#chars.slice(at + length).join('')];
    const whole = typeof write === 'string' ? before + write + after : write(before, after);
    const short = typeof write === 'string' ? `write ${write} instead of it` : undefined;
    return this.wrong(why, at, whole.length > MAX_SHOWN && short ? short : `write ${whole}`);
  }

  noLineEnd(at: number): ToolError {
    return this.wrong('a line end can only match across lines', at, this.#acrossSuggestion);
  }
}
