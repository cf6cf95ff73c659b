import { expect, test } from 'vitest';
import { parseTeamSettings } from './team-settings.ts';

const openid = { issuer: 'https://login.example.org', resource: 'https://tools.example.org/mcp' };
const proxy = { addresses: ['10.0.0.0/8'], header: 'X-User' };

test('fills in what is left out', () => {
  expect(parseTeamSettings('{}')).toEqual({});
  const scopes = ['jinn:read', 'jinn:write', 'jinn:execute'];
  expect(parseTeamSettings(JSON.stringify({ openid, proxy: { ...proxy, scopes: ['jinn:read', 'admin'] } }))).toEqual({
    openid: { ...openid, claim: 'sub', scopes },
    proxy: { ...proxy, scopes: ['jinn:read', 'jinn:admin'] },
  });
});

test.each([
  [{ openid: { ...openid, issuer: 'http://login.example.org' } }, 'openid.issuer: it must be an https: URL'],
  [{ openid: { issuer: openid.issuer } }, 'openid.resource: '],
  [{ openid: { ...openid, audiences: 'x' } }, 'audiences'],
  [{ proxy: { ...proxy, header: 'Authorization' } }, 'proxy.header: not this header'],
  [{ proxy: { ...proxy, header: 'a b' } }, 'proxy.header: '],
  [{ proxy: { ...proxy, scopes: ['root'] } }, 'proxy.scopes.0: there is no such scope'],
  [{ proxy: { ...proxy, addresses: [] } }, 'proxy.addresses: '],
  [{ database: { url: 'mysql://x', workspace: 'shop' } }, 'database.url: it must be a postgres: URL'],
  [{ database: { url: 'postgres://x', workspace: 'a/b' } }, 'database.workspace: '],
  [{ limits: { commands: 0 } }, 'limits.commands: '],
  [{ limit: {} }, 'limit'],
  [[], 'the file: '],
])('refuses %j', (settings, message) => {
  expect(() => parseTeamSettings(JSON.stringify(settings))).toThrow(message);
});
