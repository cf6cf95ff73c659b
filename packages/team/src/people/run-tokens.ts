import { randomBytes } from 'node:crypto';
import { openTeamLog } from '../open-team.ts';
import { parseScopes, TOOL_SCOPES } from './asker.ts';
import { hashOf, isPersonName, TOKEN_PREFIX, type Token, type TokenStore, tokenId } from './bearer-tokens.ts';
import type { TeamSettings } from './team-settings.ts';
import { tokensInFile } from './token-file.ts';

const TOKEN_BYTES = 32;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A command of `jinn-mcp tokens`. */
export type TokensCommand =
  | {
      readonly do: 'create';
      readonly name: string;
      readonly scopes?: readonly string[] | undefined;
      readonly expires: string;
    }
  | { readonly do: 'list'; readonly json: boolean }
  | { readonly do: 'revoke'; readonly id?: string | undefined; readonly name?: string | undefined };

type RecordToken = (change: 'added' | 'removed', token: object) => Promise<void>;

interface TokenPlaces {
  readonly settings: TeamSettings | undefined;
  readonly file: string | undefined;
  readonly locks: string | undefined;
}

/** Makes, lists or revokes tokens, after recording each change, and returns the text to print. Throws an Error for the user. */
export async function runTokenCommand(command: TokensCommand, { settings, file, locks }: TokenPlaces): Promise<string> {
  const { shared, record } = await openTeamLog(settings ?? {}, '');
  if (settings !== undefined && shared === undefined)
    throw new Error('the file of --team has no database to keep tokens in');
  if (settings === undefined && file === undefined) throw new Error('there is no home directory: give --token-file');
  const store: TokenStore = shared?.tokens ?? tokensInFile(file as string, locks);
  const recordToken: RecordToken = (change, token) => record('token', { change, ...token });
  if (command.do === 'create') return create(command, store, recordToken);
  if (command.do === 'revoke') return revoke(command, store, recordToken);
  for (const fault of store.faults?.() ?? []) process.stderr.write(`${fault}. No user can use it\n`);
  return list(await store.list(), command.json);
}

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
  process.stderr.write(`token ${tokenId(token)} of ${name}, ${describe(token)}. It is shown only now:\n`);
  return `${secret}\n`;
}

async function revoke(
  { id, name }: TokensCommand & { do: 'revoke' },
  store: TokenStore,
  record: RecordToken,
): Promise<string> {
  if ((id === undefined) === (name === undefined)) throw new Error('tokens revoke takes the id of a token, or --name');
  const meant = (await store.list()).filter((token) => (id ? tokenId(token) === id : token.person === name));
  if (meant.length === 0) throw new Error('there is no such token: jinn-mcp tokens list shows them');
  for (const token of meant) await record('removed', factsOf(token));
  const count = await store.remove(meant);
  return `revoked ${count} ${count === 1 ? 'token' : 'tokens'}\n`;
}

function list(tokens: readonly Token[], json: boolean): string {
  if (json) {
    const rows = tokens.map(factsOf).map(({ token: id, person: name, ...more }) => ({ id, name, ...more }));
    return `${JSON.stringify(rows, undefined, 2)}\n`;
  }
  if (tokens.length === 0) return 'there are no tokens: jinn-mcp tokens create --name NAME makes one\n';
  return tokens.map((token) => `${tokenId(token)}  ${token.person || '(no name)'}  ${describe(token)}\n`).join('');
}

function factsOf(token: Token) {
  const expires = token.expires === Infinity ? null : new Date(token.expires).toISOString();
  return { person: token.person, token: tokenId(token), scopes: token.scopes, expires };
}

function describe({ scopes, expires }: Token): string {
  const end =
    expires === Infinity
      ? 'does not end'
      : `${expires <= Date.now() ? 'ended' : 'ends'} ${new Date(expires).toISOString()}`;
  return `${scopes.join(' ')}  ${end}`;
}

function toEnd(text: string, now: number): number {
  if (text === 'never') return Infinity;
  const { count, unit = '' } = /^(?<count>\d{1,5})(?<unit>[hdw])$/.exec(text)?.groups ?? {};
  const end = count === undefined ? Date.parse(text) : now + Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(end))
    throw new Error(`--expires is never, a time such as 12h, 90d or 4w, or a date: ${JSON.stringify(text)} is none`);
  if (end <= now) throw new Error('--expires: that is over');
  return end;
}
