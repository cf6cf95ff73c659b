import { createHash } from 'node:crypto';
import { findScope, type PersonScope, type Refusal, SCOPES } from './asker.ts';

/** A bearer token by its hash, whom it stands for, and what it lets them do. */
export interface Token {
  readonly person: string;
  readonly hash: string;
  readonly scopes: readonly PersonScope[];
  /** In milliseconds since 1970. Infinity if it does not end. */
  readonly expires: number;
}

/** In front of each token that we make, so that scanners for secrets know it. */
export const TOKEN_PREFIX = 'jinn_';
const OWN_TOKEN = /^jinn_[\w-]{43}$/;
const TOKEN = /^[\w.~+/=-]{16,}$/;
const PERSON = /^[\w.@-]{1,64}$/;
const PLAIN_LINE = /^(?<person>[\w.@-]{1,64}):(?<token>[\w.~+/=-]{16,})$/;
const HASHED_LINE =
  /^(?<person>[\w.@-]{1,64}) sha256:(?<hash>[\da-f]{64}) scopes=(?<scopes>[\w:,]+) expires=(?<expires>never|[\dTZ:.-]+)$/;
const ID_LENGTH = 12;
const MAX_SHOWN_NAMES = 20;
const FORM =
  'it is one token of 16 or more letters, digits and ._~+/=-, or a line name:token for each person, whose name has at most 64 letters, digits and ._@-, or what jinn-mcp tokens create writes';

/** Reads tokens as `readTokens` does. Throws an Error that says what is wrong. */
export function parseTokens(text: string): readonly Token[] {
  const { tokens, faults } = readTokens(text);
  if (faults[0] !== undefined) throw new Error(faults[0]);
  return tokens;
}

/** Reads tokens: one without a name, or per line `name:token` or a line of `toTokenLine`. `faults` repeats no token. */
export function readTokens(text: string): { readonly tokens: readonly Token[]; readonly faults: readonly string[] } {
  if (TOKEN.test(text.trim())) return { tokens: [toToken('', text.trim())], faults: [] };
  const tokens: Token[] = [];
  const faults: string[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const token = parseLine(line);
    if (token === undefined) faults.push(`line ${index + 1} is no token: ${FORM}`);
    else if (tokens.some(({ hash }) => hash === token.hash)) {
      faults.push(`line ${index + 1} has the token of another line`);
    } else tokens.push(token);
  }
  return { tokens, faults };
}

/** Reports whether a text has the form of the tokens that we make. */
export function isOwnToken(text: string): boolean {
  return OWN_TOKEN.test(text);
}

function parseLine(line: string): Token | undefined {
  const plain = PLAIN_LINE.exec(line)?.groups;
  if (plain) return toToken(plain['person'] as string, plain['token'] as string);
  const { person, hash, scopes, expires } = HASHED_LINE.exec(line)?.groups ?? {};
  if (person === undefined || hash === undefined || scopes === undefined) return undefined;
  const found = scopes.split(',').map(findScope);
  const known = found.filter((scope) => scope !== undefined);
  const end = expires === 'never' ? Infinity : Date.parse(expires ?? '');
  return known.length < found.length || Number.isNaN(end) ? undefined : { person, hash, scopes: known, expires: end };
}

/** Writes a token as a line with its hash only. */
export function toTokenLine({ person, hash, scopes, expires }: Token): string {
  const end = expires === Infinity ? 'never' : new Date(expires).toISOString();
  return `${person} sha256:${hash} scopes=${scopes.map((scope) => scope.replace('jinn:', '')).join(',')} expires=${end}`;
}

/** Returns the public id of a token: the start of its hash. */
export function tokenId({ hash }: Token): string {
  return hash.slice(0, ID_LENGTH);
}

/** Reports whether the user may have this name. */
export function isPersonName(name: string): boolean {
  return PERSON.test(name);
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A token that is written out gives its person every right, and does not end. */
function toToken(person: string, token: string): Token {
  return { person, hash: hashOf(token), scopes: SCOPES, expires: Infinity };
}

/** Describes for the operator who counts as one person. */
export function describePeople(tokens: readonly Token[]): string {
  const names = [...new Set(tokens.map(({ person }) => person))];
  if (names.length === 0) return 'no token counts yet: jinn-mcp tokens create makes one';
  if (names[0] === '')
    return 'the token has no name: all who have it count as one user. --token-file takes a line name:token for each';
  const more = names.length > MAX_SHOWN_NAMES ? `, and ${names.length - MAX_SHOWN_NAMES} more` : '';
  return `grants, memory and changes are kept apart for ${names.slice(0, MAX_SHOWN_NAMES).join(', ')}${more}`;
}

export interface TokenStore {
  list(): Promise<readonly Token[]>;
  add(token: Token): Promise<void>;
  remove(tokens: readonly Token[]): Promise<number>;
  /** Lists the faults of the kept tokens. A faulty one lets no one in. */
  faults?(): readonly string[];
}

export interface SharedTokens {
  /** Finds a token by its hash, for a request from an address. */
  find(hash: string, address: string): Promise<Token | Refusal | undefined>;
  /** Finds a token that was let in. The server itself asks for it, so that no bound is needed. */
  check(hash: string): Promise<Token | Refusal | undefined>;
}
