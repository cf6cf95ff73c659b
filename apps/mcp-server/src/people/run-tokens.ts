import { randomBytes } from 'node:crypto';
import { openTeamLog } from '../audit/open-team-log.ts';
import { hashOf, idOf, isPersonName, TOKEN_PREFIX, type Token } from './bearer-tokens.ts';
import { openTokenStore } from './open-token-store.ts';
import { parseScopes, TOOL_SCOPES } from './scopes.ts';
import type { TeamSettings } from './team-settings.ts';

const TOKEN_BYTES = 32;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** What `jinn-mcp tokens` is asked for. */
export type TokensCommand =
  | {
      readonly do: 'create';
      readonly name: string;
      readonly scopes?: readonly string[] | undefined;
      readonly expires: string;
    }
  | { readonly do: 'list'; readonly json: boolean }
  | { readonly do: 'revoke'; readonly id?: string | undefined; readonly name?: string | undefined };

/** Where tokens are kept. */
export interface TokenStore {
  list(): Promise<readonly Token[]>;
  /** Throws an Error if none can be added. */
  add(token: Token): Promise<void>;
  /** Returns how many of these there were. */
  remove(tokens: readonly Token[]): Promise<number>;
  /** Lists the faults of the kept tokens. A faulty one lets nobody in. */
  faults?(): readonly string[];
}

/** Writes to the log of the operator, before it is done, that a token is made or taken back. */
type RecordToken = (change: 'added' | 'removed', token: object) => Promise<void>;

interface TokenPlaces {
  /** Those of the team whose database keeps the tokens; undefined if a file keeps them. */
  readonly settings: TeamSettings | undefined;
  readonly file: string | undefined;
  /** Where the locks of files are. */
  readonly locks: string | undefined;
}

/**
 * Makes, lists or takes back tokens, and returns what is to be printed. What it changes is in the log of the team first. Throws an
 * Error for the user.
 */
export async function runTokenCommand(command: TokensCommand, { settings, ...places }: TokenPlaces): Promise<string> {
  const { shared, record } = await openTeamLog(settings ?? {}, '');
  const store = await openTokenStore({ ...places, isForTeam: settings !== undefined, shared });
  return runTokens(command, store, (change, token) => record('token', { change, ...token }));
}

async function runTokens(command: TokensCommand, store: TokenStore, record: RecordToken): Promise<string> {
  if (command.do === 'create') return create(command, store, record);
  if (command.do === 'revoke') return revoke(command, store, record);
  for (const fault of store.faults?.() ?? []) process.stderr.write(`${fault}; it lets nobody in\n`);
  return list(await store.list(), command.json);
}

/** Makes a token, which is printed and kept nowhere. */
async function create(
  { name, scopes, expires }: TokensCommand & { do: 'create' },
  store: TokenStore,
  record: RecordToken,
): Promise<string> {
  if (!isPersonName(name)) throw new Error('--name has 1 to 64 letters, digits and ._@-');
  const secret = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const token: Token = {
    person: name,
    hash: hashOf(secret),
    scopes: scopes ? parseScopes(scopes) : TOOL_SCOPES,
    expires: toEnd(expires, Date.now()),
  };
  await record('added', factsOf(token));
  await store.add(token);
  process.stderr.write(`token ${idOf(token)} of ${name}, ${describe(token)}; it is shown only now:\n`);
  return `${secret}\n`;
}

async function revoke(
  { id, name }: TokensCommand & { do: 'revoke' },
  store: TokenStore,
  record: RecordToken,
): Promise<string> {
  if ((id === undefined) === (name === undefined)) throw new Error('tokens revoke takes the id of a token, or --name');
  const meant = (await store.list()).filter((token) => (id ? idOf(token) === id : token.person === name));
  if (meant.length === 0) throw new Error('there is no such token; jinn-mcp tokens list shows them');
  for (const token of meant) await record('removed', factsOf(token));
  const count = await store.remove(meant);
  return `took back ${count} ${count === 1 ? 'token' : 'tokens'}\n`;
}

function list(tokens: readonly Token[], json: boolean): string {
  if (json) {
    const rows = tokens.map(factsOf).map(({ token: id, person: name, ...more }) => ({ id, name, ...more }));
    return `${JSON.stringify(rows, undefined, 2)}\n`;
  }
  if (tokens.length === 0) return 'there are no tokens; jinn-mcp tokens create --name NAME makes one\n';
  return tokens.map((token) => `${idOf(token)}  ${token.person || '(no name)'}  ${describe(token)}\n`).join('');
}

/** Returns what a list or a log says of a token. */
function factsOf(token: Token) {
  const expires = token.expires === Infinity ? null : new Date(token.expires).toISOString();
  return { person: token.person, token: idOf(token), scopes: token.scopes, expires };
}

function describe({ scopes, expires }: Token): string {
  const end =
    expires === Infinity
      ? 'does not end'
      : `${expires <= Date.now() ? 'ended' : 'ends'} ${new Date(expires).toISOString()}`;
  return `${scopes.join(' ')}  ${end}`;
}

/** Returns when a token ends. Throws an Error unless the text is a duration, a future date or `never`. */
function toEnd(text: string, now: number): number {
  if (text === 'never') return Infinity;
  const { count, unit = '' } = /^(?<count>\d{1,5})(?<unit>[hdw])$/.exec(text)?.groups ?? {};
  const end = count === undefined ? Date.parse(text) : now + Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(end))
    throw new Error(`--expires is never, a time such as 12h, 90d or 4w, or a date: ${JSON.stringify(text)} is none`);
  if (end <= now) throw new Error('--expires: that is over');
  return end;
}
