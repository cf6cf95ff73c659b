import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

export const JSONC = { allowTrailingComma: true, disallowComments: false };

/** Parses JSON with comments and trailing commas, as editors allow them. Throws an Error that says what is wrong. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, JSONC);
  const [fault] = errors;
  if (fault) throw new Error(`${printParseErrorCode(fault.error)} at character ${fault.offset}`);
  return value;
}
