import type { Session } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { versionOf } from '@jinn/workspace';

const MAX_LISTED = 10;
const LIMIT_MS = 1_000;

/** Refuses a text that is in several places. */
export class NotUniqueError extends ToolError {
  readonly #what: string;
  /** The lines where the places begin, from 1; only the first ones are shown. */
  readonly #lines: readonly number[];

  constructor(what: string, lines: readonly number[], symbols: readonly (string | undefined)[] = []) {
    const more = lines.length > MAX_LISTED ? ` ... and ${lines.length - MAX_LISTED} more` : '';
    const named = lines.slice(0, MAX_LISTED).map((line, i) => (symbols[i] ? `${line} in ${symbols[i]}` : line));
    super('edit_not_unique', `${what} (lines: ${named.join(', ')}${more}) — must be unique`, {
      suggestion:
        'choose one with near_line, or add more surrounding lines to old_text, or replace every place with replace_all',
    });
    this.#what = what;
    this.#lines = lines;
  }

  /** Returns the same refusal with the symbol around each line, if the file has symbols. */
  async withSymbols(session: Session, { path, content }: { path: string; content: Buffer }): Promise<ToolError> {
    const { createOutlines, isOutline, MAX_SOURCE_BYTES, namePathOf, symbolAtLine } = await import('@jinn/syntax');
    if (content.length > MAX_SOURCE_BYTES) return this;
    const source = { path, content, version: versionOf(content) };
    const outline = await session.use(createOutlines).read(source, { limitMs: LIMIT_MS });
    if (!isOutline(outline)) return this;
    const symbols = this.#lines.slice(0, MAX_LISTED).map((line) => {
      const symbol = symbolAtLine(outline, line);
      return symbol && namePathOf(outline, symbol);
    });
    return new NotUniqueError(this.#what, this.#lines, symbols);
  }
}
