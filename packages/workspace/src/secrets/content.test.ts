import { expect, test } from 'vitest';
import { holdsKey, redactMembers, redactSecrets } from './content.ts';

const LETTERS = 'Ab1'.repeat(30);

test.each([
  [`git clone https://me:hunter2-${LETTERS}@example.org/x`, 'git clone [a password in a URL]'],
  [`curl -H "Authorization: Bearer ${LETTERS}" url`, 'curl -H "Authorization: [a token]" url'],
  [`gh auth login ghp_${LETTERS} ok`, 'gh auth login [a GitHub token] ok'],
  [`export TOKEN=abc-${LETTERS} && make`, 'export [a secret that is assigned] && make'],
  [`echo one\nAPI_KEY=sk-${LETTERS}\necho two`, 'echo one\n[a secret that is assigned]\necho two'],
  [`jinn_${LETTERS.slice(0, 43)} ok`, '[a token of jinn-mcp] ok'],
  [`x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n${LETTERS}\n`, 'x [a private key]'],
  [`two ghp_${LETTERS} ghp_${LETTERS}`, 'two [a GitHub token] [a GitHub token]'],
  ['ls -la src/token.ts', 'ls -la src/token.ts'],
])('takes secrets out of %j', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
});

test('takes secrets out of the texts of a value, and what stands under the name of one', () => {
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    `+${LETTERS}`,
    'MIIEvQIBADANBgkqhkiG9w==',
    '-----END PRIVATE KEY-----',
    LETTERS,
  ];
  const value = { password: 'x', n: 1, list: [`ghp_${LETTERS}`], [`ghp_${LETTERS}`]: null, key };
  expect(redactMembers(value)).toEqual({
    password: '[a secret]',
    n: 1,
    list: ['[a GitHub token]'],
    '[a GitHub token]': null,
    key: ['[a private key]', '[a private key]', '[a private key]', '-----END PRIVATE KEY-----', LETTERS],
  });
  const plain = { a: ['b'] };
  expect(redactMembers(plain)).toBe(plain);
});

test.each([
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n', true],
  ['PuTTY-User-Key-File-3: ssh-ed25519\n', true],
  ['# public key: age1x\nAGE-SECRET-KEY-1QQ\n', true],
  [`-----BEGIN PUBLIC KEY-----\nghp_${LETTERS}\n`, false],
])('says whether %j may hold a private key, also in UTF-16', (text, expected) => {
  const wide = Buffer.from(text, 'utf16le');
  const contents = [Buffer.from(text), wide, Buffer.from(wide).swap16()];
  expect(contents.map(holdsKey)).toEqual([expected, expected, expected]);
});
