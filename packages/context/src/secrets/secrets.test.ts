import fs from 'node:fs';
import { PRIVATE_KEY, SECRET_KINDS, secretsOf } from '@jinn/workspace/secrets/content';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSecrets } from './secrets.ts';

/** Returns the kinds of secrets in a text. */
function kindsIn(text: string): string[] {
  const found: string[] = [];
  findSecrets(Buffer.from(text), 1, (_, what) => void found.push(what));
  return found;
}

const hex = (length: number) => 'a1b2c3d4e5f60718'.repeat(20).slice(0, length);
const word = (length: number) => 'Ab3dEf9hIj2lMn4p'.repeat(20).slice(0, length);
const upper = (length: number) => 'A1B2C3D4E5F6G7H8'.repeat(20).slice(0, length);

/** Made of parts, so that no scanner takes this file for a leak. */
test.for<[string, ...string[]]>([
  ['an AWS access key', `AKIA${upper(16)}`, `ASIA${upper(16)}`],
  [
    'a private key',
    `-----BEGIN RSA PRIVATE KEY-----\\n${word(64)}\\n`,
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${word(64)}`,
    `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${word(64)}`,
    `AGE-SECRET-KEY-1${upper(58)}`,
    'PuTTY-User-Key-File-2: ssh-rsa',
  ],
  [
    'a GitHub token',
    `ghp_${word(36)}`,
    `gho_${word(36)}`,
    `ghs_${word(36)}`,
    `ghu_${word(36)}`,
    `ghr_${word(36)}`,
    `github_pat_${word(50)}`,
  ],
  ['a GitLab token', `glpat-${word(20)}`, `glrt-${word(20)}`],
  ['a Slack token', `xoxb-${word(20)}`, `xapp-1-${word(20)}`],
  ['a Slack webhook', `https://hooks.slack.com/services/${'T0/B0/'}${word(24)}`],
  ['an Anthropic key', `sk-ant-api03-${word(40)}`],
  ['an OpenAI key', `sk-proj-${word(40)}`, `sk-${word(20)}T3BlbkFJ${word(20)}`],
  ['an OpenRouter key', `sk-or-v1-${hex(64)}`],
  ['a Stripe key', `sk_live_${word(24)}`, `rk_live_${word(24)}`, `sk_test_${word(24)}`],
  ['a Stripe webhook secret', `whsec_${word(32)}`],
  ['a Google API key', `AIza${word(35)}`],
  ['a Google client secret', `GOCSPX-${word(28)}`],
  ['a Google access token', `ya29.${word(60)}`],
  ['an npm token', `npm_${word(36)}`, `//registry.example.com/:_authToken=${word(30)}`],
  ['a token of jinn-mcp', `jinn_${word(43)}`],
  ['a PyPI token', `pypi-AgEI${word(80)}`],
  ['a RubyGems key', `rubygems_${hex(48)}`],
  ['a Docker token', `dckr_pat_${word(27)}`],
  ['a Hugging Face token', `hf_${word(34)}`],
  ['a Replicate token', `r8_${word(37)}`],
  ['a Groq key', `gsk_${word(52)}`],
  ['a Perplexity key', `pplx-${word(48)}`],
  ['an xAI key', `xai-${word(80)}`],
  ['a LangSmith key', `lsv2_pt_${hex(32)}_${hex(10)}`],
  ['a Linear key', `lin_api_${word(40)}`],
  ['a Notion token', `ntn_${word(46)}`],
  ['a Figma token', `figd_${word(40)}`],
  ['a Grafana token', `glsa_${word(32)}_${hex(8)}`, `glc_${word(60)}`],
  ['a Sentry token', `sntrys_${word(60)}`],
  ['a New Relic key', `NRAK-${upper(27)}`],
  ['a Datadog or Dynatrace token', `dt0c01.${upper(24)}.${upper(64)}`],
  ['a SendGrid key', `SG.${word(22)}.${word(43)}`],
  ['a Mailgun key', `key-${hex(32)}`],
  ['a Mailchimp key', `${hex(32)}-us12`],
  ['a Twilio key', `SK${hex(32)}`],
  ['a Telegram bot token', `123456789:AA${word(33)}`],
  ['a Discord webhook', `https://discord.com/api/webhooks/123456789012345678/${word(68)}`],
  ['a Teams webhook', `https://a.webhook.office.com/webhookb2/${hex(36)}`],
  ['a Shopify token', `shpat_${hex(32)}`],
  ['a Square token', `sq0atp-${word(22)}`],
  ['a DigitalOcean token', `dop_v1_${hex(64)}`],
  ['a Cloudflare key', `v1.0-${hex(24)}-${hex(146)}`],
  ['a Heroku key', `HRKU-${word(60)}`],
  ['a Netlify token', `nfp_${word(36)}`],
  ['a Fly.io token', `FlyV1 fm2_${word(80)}`],
  ['a Supabase token', `sbp_${hex(40)}`, `sb_secret_${word(30)}`],
  ['a PlanetScale secret', `pscale_tkn_${word(43)}`],
  ['a Databricks token', `dapi${hex(32)}`],
  ['a Doppler token', `dp.pt.${word(43)}`],
  ['a Pulumi token', `pul-${hex(40)}`],
  ['a Postman key', `PMAK-${hex(24)}-${hex(34)}`],
  ['a Terraform Cloud token', `${word(14)}.atlasv1.${word(64)}`],
  ['a Vault token', `hvs.${word(90)}`],
  ['a 1Password token', `ops_eyJ${word(200)}`],
  ['a Tailscale key', `tskey-auth-${word(12)}-${word(20)}`],
  ['an Atlassian token', `ATATT3${word(180)}`],
  ['an Artifactory key', `AKCp${word(69)}`],
  ['an Azure client secret', `abc8Q~${word(34)}`],
  ['an Azure storage key', `AccountName=a;AccountKey=${word(86)}==`],
  ['an Azure SAS token', `https://a.blob.core.windows.net/b?sv=2020&sig=${word(44)}`],
  ['an Alibaba access key', `LTAI${word(20)}`],
  ['a Clojars token', `CLOJARS_${hex(60)}`],
  ['an Airtable token', `pat${word(14)}.${hex(64)}`],
  ['an EasyPost key', `EZAK${word(54)}`],
  ['a password in a URL', 'postgres://me:hunter22@db.example.com/x'],
  ['a signed token', `eyJ${word(30)}.eyJ${word(60)}.${word(40)}`],
  ['a token', `Bearer ${word(30)}`],
  ['a password', `Authorization: Basic ${word(24)}`],
  ['a secret that is assigned', `api_key: '${hex(20)}'`, `export API_KEY=${hex(20)}`, `db_password = ${hex(20)}`],
])('knows %s', ([what, ...samples]) => {
  for (const sample of samples) {
    expect([sample, kindsIn(`a line\n${sample}\nanother`)]).toEqual([sample, [what]]);
    expect(kindsIn(`x = f("${sample}", 1)`)).toHaveLength(
      what.includes('assigned') || /^PuTTY|_authToken|^Auth/.test(sample) ? kindsIn(`x = f("${sample}", 1)`).length : 1,
    );
  }
});

test('has a test for each kind', () => {
  const kinds = new Set(SECRET_KINDS.map(({ what }) => what));
  expect(kinds.size).toBe(70);
});

test('takes none of these for a secret', () => {
  const plain = [
    'const token = await readToken(2);',
    'password: string',
    'secret: Uint8Array',
    ['API_KEY=', '{API_KEY}'].join('$'),
    'Authorization: Bearer <your token>',
    'https://example.com/a:b@c',
    'sha512-z6Nm1QBG9LyMDkG5ZAcYBdFHXhHXVBUtbMHwLCgbWyrkVrLvAUqNbnqBDVOjVhRkOUNdYqPHzMVBNUZfTJCEUw==',
    'the key-value store, the pattern, an api-us-east host, LTAI, EAAA',
    'npm_config_registry=https://registry.example.com',
    'class="task_test_runner pat-4 SG.x"',
    `commit ${hex(40)}`,
  ];
  for (const line of plain) expect([line, kindsIn(line)]).toEqual([line, []]);
});

const PIECES = [
  ...SECRET_KINDS.flatMap(({ marks }) => marks),
  ...'my_ _ - api_key= privateKey accessKEY pwd: Password token" ] secret => ( , > = : \' " ` @ / . :// \u00a0 é \\n'.split(
    ' ',
  ),
  ...'https://user: postgres://u:p4ssw0rdX@db.example.org -----BEGIN PRIVATE -----BEGIN RSA PRIVATE KEY----- Bearer Basic'.split(
    ' ',
  ),
  ...[' ', '\n', '\t', '\r\n', word(6), word(14), word(40), hex(20), hex(64), upper(16), 'hunter2x9Qq', '|', '-----\n'],
];

/** Searches each line with each expression that has a mark in it. */
function searchAll(text: string): string[] {
  const bytes = Buffer.from(text).toString('latin1');
  let at = 0;
  return bytes.split('\n').flatMap((line, number) => {
    const start = at;
    at += line.length + 1;
    const what = SECRET_KINDS.find((kind) => {
      if (!kind.marks.some((mark) => line.includes(mark))) return false;
      const shown = kind.what === PRIVATE_KEY ? bytes.slice(start) : line;
      return [...secretsOf(kind, shown)].some((found) => found.start < line.length);
    })?.what;
    return what === undefined ? [] : [`${number + 1} ${what}`];
  });
}

function search(text: string): string[] {
  const found: string[] = [];
  findSecrets(Buffer.from(text), 1, (line, what) => void found.push(`${line} ${what}`));
  return found;
}

test('finds what all expressions find in each line, and counts the lines', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (each) => {
      expect(search(each)).toEqual(searchAll(each));
      expect(findSecrets(Buffer.from(each), 1, () => {})).toBe(each.split('\n').length);
    }),
    { numRuns: 5_000 },
  );
});

test.each(['secret-lines.txt', 'plain-lines.txt'])('finds in %s what all expressions find', (name) => {
  const file = new URL(`../../../workspace/src/secrets/fixture/${name}`, import.meta.url);
  const text = fs.readFileSync(file, 'utf8');
  expect(search(text)).toEqual(searchAll(text));
});
