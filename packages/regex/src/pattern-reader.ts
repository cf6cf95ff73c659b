import { ToolError } from '@jinn/core';

/** How far a look ahead may see: longer than any opening of a group, count or named class. */
const LOOK_AHEAD = 24;

/** Goes through a pattern character by character, and says what is wrong where. */
export class PatternReader {
  at = 0;
  readonly length: number;
  readonly #chars: readonly string[];
  readonly #suggestion: string;

  constructor(pattern: string, suggestion: string) {
    this.#chars = [...pattern];
    this.length = this.#chars.length;
    this.#suggestion = suggestion;
  }

  get isAtEnd(): boolean {
    return this.at >= this.length;
  }

  /** The next character, which is then behind. */
  next(): string {
    return this.#chars[this.at++] as string;
  }

  /** The next character, or the one behind it; '' at the end. */
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

  /** What comes before `end`, which is then behind; `at` is what the error names. */
  until(end: string, at: number): string {
    const found = this.#chars.indexOf(end, this.at);
    if (found < 0) throw this.wrong(`missing ${end}`, at);
    const text = this.takeUpTo(found - this.at);
    this.at++;
    return text;
  }

  /** Matches what comes next, of ASCII and not far, without going on. */
  ahead(regex: RegExp): RegExpExecArray | null {
    return regex.exec(this.#chars.slice(this.at, this.at + LOOK_AHEAD).join(''));
  }

  wrong(why: string, at: number | undefined = this.at): ToolError {
    return new ToolError('invalid_regex', `invalid regex: ${why}, at character ${at + 1}`, {
      suggestion: this.#suggestion,
    });
  }

  noLineEnd(at: number): ToolError {
    const { message } = this.wrong('a line end can only match across lines', at);
    return new ToolError('invalid_regex', message, { suggestion: 'pass multiline: true to match across lines' });
  }
}
