import { expect, test } from 'vitest';
import { hasSensitiveSegment, isHiddenName, isPrivateName, isSensitiveSegment, SECRET_NAME } from './secret-names.ts';

const SECRET = [
  ...['.git', '.ssh', '.aws', '.gnupg', '.env', '.env.', '.env.x', '.GIT', '.env~', '#.env#'],
  ...['.env-local', '.env_prod', '.env,v', '.env ', '.env2', '.ENV-x', '.env-example', '.env\u200b-x'],
];
/** Beside the open names, which only look like them. */
const COPIES = ['.env.example~', '#.env.example#', '.env.example.local', '.env.samples', '.env.x~', '#.env.x#'];
const OPEN = ['.env.example', '.env.sample', '.env.template', '.Env.EXAMPLE'];
const ORDINARY = [
  '',
  '.',
  '..',
  '#',
  '~',
  'env',
  '.envx',
  '.envrc',
  '.gitx',
  '.gi',
  'git',
  'é.env',
  '..env',
  '##.env',
  'x.env~',
];

test.each([...SECRET, ...COPIES])('%s is secret', (name) => {
  expect(isSensitiveSegment(name)).toBe(true);
  expect(hasSensitiveSegment(`a/${name}/b`)).toBe(true);
});

test.each([...OPEN, ...ORDINARY])('"%s" is open', (name) => {
  expect(isSensitiveSegment(name)).toBe(false);
  expect(hasSensitiveSegment(`a/${name}/b`)).toBe(false);
});

test.each([...SECRET, ...COPIES, ...OPEN, ...ORDINARY])('the sandbox hides "%s" if tools do, but for .git', (name) => {
  expect(isHiddenName(name)).toBe(isSensitiveSegment(name) && name.toLowerCase() !== '.git');
});

test('no command shows a .envrc, which tools and the sandbox open', () => {
  expect([isPrivateName('.ENVRC'), isHiddenName('.envrc'), isPrivateName('.envx'), isPrivateName('.git')]).toEqual([
    ...[true, false, false, false],
  ]);
});

test.each([
  ...['API_KEY', 'apiKey', 'x-api-key', 'AWS_ACCESS_KEY_ID', 'PRIVATE_KEY', 'db_password', 'PGPASSWD', 'passphrase'],
  ...['CLIENT_SECRET', 'accessToken', 'Authorization', 'authorisation', 'NPM_AUTH', 'OAUTH', 'credentials'],
])('a secret stands under the name %s', (name) => {
  expect(SECRET_NAME.test(name)).toBe(true);
});

test.each(['GIT_AUTHOR_NAME', 'authority', 'path', 'key', 'PWD', 'pass'])('none stands under the name %s', (name) => {
  expect(SECRET_NAME.test(name)).toBe(false);
});
