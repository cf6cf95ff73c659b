/** A bearer token, and the name of the person whom it stands for; the name is empty if it has none. */
export interface Token {
  readonly person: string;
  readonly token: string;
}

const TOKEN = /^[\w.~+/=-]{16,}$/;
const LINE = /^(?<person>[\w.@-]{1,64}):(?<token>[\w.~+/=-]{16,})$/;

/**
 * Reads tokens: one without a name, or a line `name:token` for each, where a person may have several and lines with # in front
 * are left out. Throws an Error that says what is wrong, and repeats no token.
 */
export function parseTokens(text: string): readonly Token[] {
  const whole = text.trim();
  if (TOKEN.test(whole)) return [{ person: '', token: whole }];
  const lines = whole.split('\n').map((line) => line.trim());
  const tokens: Token[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const { person, token } = LINE.exec(line)?.groups ?? {};
    if (person === undefined || token === undefined) throw new Error(`line ${index + 1} is no token: ${FORM}`);
    if (tokens.some((known) => known.token === token))
      throw new Error(`line ${index + 1} has the token of another line`);
    tokens.push({ person, token });
  }
  if (tokens.length === 0) throw new Error(`there is no token: ${FORM}`);
  return tokens;
}

const FORM =
  'it is one token of 16 or more letters, digits and ._~+/=-, or a line name:token for each person, whose name has at most 64 letters, digits and ._@-';

/** Says who counts as one person, for the operator. */
export function describePeople(tokens: readonly Token[]): string {
  if (tokens.length === 0) return 'there is no token: all who reach the port count as one person';
  const names = [...new Set(tokens.map(({ person }) => person))];
  return names[0] === ''
    ? 'the token has no name: all who have it count as one person; --token-file takes a line name:token for each'
    : `grants, memory and changes are kept apart for ${names.join(', ')}`;
}
