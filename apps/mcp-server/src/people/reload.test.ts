import fs from 'node:fs';
import { makeTempDirectory, toStatelessRequest } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { listen } from '../fixture/listen.ts';

const PROXY = { addresses: ['127.0.0.1'], header: 'X-User' };
const STAYS = 'the settings stay as they were';

/** Starts a server with settings, which `reload` replaces: it returns when the server has said what came of it. */
async function serve(settings: object, ...more: string[]) {
  const place = makeTempDirectory();
  const team = `${place}/team.json`;
  const write = (given: object | string) =>
    fs.writeFileSync(team, typeof given === 'string' ? given : JSON.stringify(given));
  write(settings);
  const { url, server } = await listen({ args: ['--sandbox', 'off', '--team', team, ...more] });
  const said = () => server.log().match(/the settings (were read again|stay as they were.*)/g) ?? [];
  return {
    ...{ place, url, server },
    reload: async (given: object | string) => {
      const { length } = said();
      write(given);
      server.child.kill('SIGHUP');
      await expect.poll(said).toHaveLength(length + 1);
      return said().at(-1);
    },
    /** Calls a tool as ann, behind the proxy. Returns the status, or the error of the call. */
    call: async (name: string, args: object = {}) => {
      const { headers, body } = toStatelessRequest('tools/call', { name, arguments: args });
      const response = await fetch(url, { method: 'POST', headers: { ...headers, 'X-User': 'ann' }, body });
      const { result } = (await response.json()) as { result?: { _meta?: { jinn?: { error_code?: string } } } };
      return result?._meta?.jinn?.error_code ?? response.status;
    },
  };
}

test('at SIGHUP scopes and limits are read again, and stay as they were if the file is wrong', async () => {
  const { reload, call } = await serve({ proxy: { ...PROXY, scopes: ['read'] } });
  const write = () => call('write_file', { path: 'b.txt', content: 'b' });
  expect([await call('list_dir'), await write()]).toEqual([200, 403]);
  expect(await reload({ proxy: PROXY })).toBe('the settings were read again');
  expect([await call('list_dir'), await write()]).toEqual([200, 200]);
  const limited = { proxy: PROXY, limits: { calls_per_minute: 1 } };
  await reload(limited);
  await call('list_dir');
  expect(await call('list_dir')).toBe('resource_limit');
  for (const [wrong, why] of [
    ['{', STAYS],
    [{ limits: { call: 1 } }, 'there is no call'],
    [{ ...limited, proxy: { ...PROXY, addresses: ['nowhere'] } }, 'nowhere is no address'],
    [{ ...limited, limits: { memory_mb: 64 } }, 'can change only at a start'],
    [{ database: { url: 'postgres://127.0.0.1/jinn', workspace: 'shop' } }, 'can change only at a start'],
    [{}, 'no sign-in would be needed'],
  ] as const)
    expect(await reload(wrong)).toContain(why);
  expect(await call('list_dir')).toBe('resource_limit');
  expect(await reload({ proxy: PROXY })).toBe('the settings were read again');
  expect(await call('list_dir')).toBe(200);
});

test('a provider that is read again is the one that clients are sent to, by its own name', async () => {
  const { url, reload } = await serve({ proxy: PROXY }, '--allow-host', 'tools.example.org');
  const issuer = 'https://login.example.org';
  const ask = async () => {
    const response = await fetch(url, { method: 'POST' });
    return [response.status, response.headers.get('www-authenticate')];
  };
  expect(await ask()).toEqual([401, 'Bearer']);
  await reload({ proxy: PROXY, openid: { issuer, resource: 'https://jinn.example.org/mcp' } });
  const metadata = 'https://jinn.example.org/.well-known/oauth-protected-resource/mcp';
  expect(await ask()).toEqual([401, expect.stringContaining(`resource_metadata="${metadata}"`)]);
  const found = await fetch(new URL('/.well-known/oauth-protected-resource', url));
  expect(await found.json()).toMatchObject({ authorization_servers: [issuer] });
});

test('SIGHUP begins a new log file too', async () => {
  const file = `${makeTempDirectory()}/calls.jsonl`;
  const { server, call } = await serve({ proxy: PROXY }, '--log-file', file);
  fs.renameSync(file, `${file}.old`);
  server.child.kill('SIGHUP');
  const text = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
  await expect.poll(text).toContain('the settings were read again');
  expect(await call('list_dir')).toBe(200);
  await expect.poll(text).toContain('"tool":"list_dir"');
});
