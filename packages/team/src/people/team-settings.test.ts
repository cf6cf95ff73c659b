import { expect, test } from 'vitest';
import { parseTeamSettings } from './team-settings.ts';

const openid = { issuer: 'https://login.example.org', resource: 'https://tools.example.org/mcp' };
const assertion = { issuer: openid.issuer, audience: 'tools' };
const proxy = { addresses: ['10.0.0.0/8'], header: 'X-User' };

const UNSAFE = 'database.url: beyond this machine it must say sslmode=verify-full';
const database = (url: string) => ({ database: { url, workspace: 'shop' } });

test.each([
  'postgres://db.example.org/jinn?sslmode=verify-full',
  'postgres://database/jinn?sslmode=disable',
  'postgres://jinn@127.0.0.1/jinn',
  'postgresql://[::1]:5433/jinn',
  'postgres://jinn@localhost/jinn?host=/run/postgresql',
  'postgres://jinn@%2Frun%2Fpostgresql/jinn',
])('takes the database %s', (url) => {
  expect(parseTeamSettings(JSON.stringify(database(url)))).toMatchObject(database(url));
});

test('fills in what is left out', () => {
  expect(parseTeamSettings('{}')).toEqual({});
  const scopes = ['jinn:read', 'jinn:write', 'jinn:execute'];
  expect(parseTeamSettings(JSON.stringify({ openid, proxy: { ...proxy, scopes: ['jinn:read', 'admin'] } }))).toEqual({
    openid: { ...openid, claim: 'sub', scopes },
    proxy: { ...proxy, scopes: ['jinn:read', 'jinn:admin'] },
  });
});

test('takes what claims give', () => {
  const claims = { groups: { admins: { scopes: ['admin'], limits: { jobs: 2 } }, others: {} } };
  const given = { openid: { ...openid, claims }, proxy: { ...proxy, scopes: [], assertion: { ...assertion, claims } } };
  const parsed = { groups: { admins: { scopes: ['jinn:admin'], limits: { jobs: 2 } }, others: { scopes: [] } } };
  expect(parseTeamSettings(JSON.stringify(given))).toMatchObject({
    openid: { claims: parsed },
    proxy: { scopes: [], assertion: { claims: parsed } },
  });
});

test.each([
  [{ openid: { ...openid, claims: { groups: { a: { scopes: ['root'] } } } } }, 'there is no such scope'],
  [{ openid: { ...openid, claims: { groups: { a: { limits: { cpus: 2 } } } } } }, 'there is no cpus'],
  [{ openid: { ...openid, claims: { groups: ['a'] } } }, 'openid.claims.groups: '],
  [{ openid: { ...openid, issuer: 'http://login.example.org' } }, 'openid.issuer: it must be an https: URL'],
  [{ openid: { issuer: openid.issuer } }, 'openid.resource: '],
  [{ openid: { ...openid, audiences: 'x' } }, 'audiences'],
  [{ proxy: { ...proxy, header: 'Authorization' } }, 'proxy.header: not this header'],
  [{ proxy: { ...proxy, header: 'a b' } }, 'proxy.header: '],
  [{ proxy: { addresses: proxy.addresses, scopes_header: 'X-Scopes' } }, 'proxy: it needs a header'],
  [{ proxy: { addresses: proxy.addresses, assertion } }, 'proxy: it needs a header'],
  [{ proxy: { ...proxy, assertion, scopes_header: 'X-Scopes' } }, 'proxy: the scopes_header is not signed'],
  [
    { proxy: { ...proxy, assertion: { ...assertion, keys: 'http://a.example/keys' } } },
    'proxy.assertion.keys: it must',
  ],
  [{ proxy: { ...proxy, assertion: { issuer: openid.issuer } } }, 'proxy.assertion.audience: '],
  [{ proxy: { ...proxy, scopes: ['root'] } }, 'proxy.scopes.0: there is no such scope'],
  [{ proxy: { ...proxy, addresses: [] } }, 'proxy.addresses: '],
  [{ database: { url: 'mysql://x', workspace: 'shop' } }, 'database.url: it must be a postgres: URL'],
  [database('postgres://x:y'), 'database.url: it must be a postgres: URL'],
  [database('postgres://db.example.org/jinn'), UNSAFE],
  [database('postgres://db.example.org/jinn?sslmode=require'), UNSAFE],
  [database('postgres://db.example.org/jinn?sslmode=no-verify'), UNSAFE],
  [database('postgres://localhost/jinn?host=db.example.org'), UNSAFE],
  [database('postgres://db.example.org/jinn?sslmode=verify-full&sslmode=prefer'), UNSAFE],
  [database('postgres:///jinn'), UNSAFE],
  [{ database: { url: 'postgres://127.0.0.1/x', workspace: 'a/b' } }, 'database.workspace: '],
  [{ limits: { commands: 0 } }, 'limits.commands: '],
  [{ limit: {} }, 'limit'],
  [[], 'the file: '],
])('refuses %j', (settings, message) => {
  expect(() => parseTeamSettings(JSON.stringify(settings))).toThrow(message);
});
