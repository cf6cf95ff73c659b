import { type AssignedValue, isAssignedSecret, isPlaceholder, isUrlPassword } from './judge-value.ts';
import { SECRET_NAME } from './secret-names.ts';

export interface SecretKind {
  /** Marks of three characters or more. Every secret of this kind has one of them. */
  readonly marks: readonly string[];
  readonly shape: RegExp;
  readonly what: string;
}

const WORDS = 'secret token pass pwd credential api access private auth account encryption signing shared'
  .split(' ')
  .flatMap((word) => [word, word.toUpperCase(), `${word[0]?.toUpperCase()}${word.slice(1)}`]);

function kind(what: string, marks: string, shape: RegExp): SecretKind {
  return { what, marks: marks.split(' '), shape };
}

/**
 * What secrets look like. Every shape tries a bounded number of characters from a start. The first kind that
 * matches a line gives the line its name, so that general kinds come last.
 */
export const SECRET_KINDS: readonly SecretKind[] = [
  kind('an AWS access key', 'AKIA ASIA', /\bA[KS]IA[0-9A-Z]{16}\b/),
  // The key follows, perhaps after headers and in quotes, or the text ends before it.
  {
    marks: ['PRIVATE KEY'],
    shape: new RegExp(
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.source +
        /(?=(?:BETWEEN(?:[\w-]+: [^\n\\]{0,100}|[A-Za-z\d+/=]{1,19}(?=\\n|\s))){0,4}BETWEENKEY|(?![\s\S]))/.source
          .replaceAll('BETWEEN', /(?:\\[nr]|[\s"'`+,>#*|-]){0,60}/.source)
          .replace(
            'KEY',
            /(?:(?=[A-Z\d+/]{0,19}[a-z])(?=[a-z\d+/]{0,19}[A-Z])[A-Za-z\d+/]{20}|[A-Za-z\d+/]{32})/.source,
          ),
    ),
    what: 'a private key',
  },
  kind('a private key', 'AGE-SECRET-KEY-1', /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/),
  kind('a private key', 'PuTTY-User-Key-File', /^PuTTY-User-Key-File-\d/),
  kind('a GitHub token', 'ghp_ gho_ ghs_ ghu_ ghr_', /\bgh[posur]_[A-Za-z0-9]{36}/),
  kind('a GitHub token', 'github_pat_', /\bgithub_pat_\w{40}/),
  kind(
    'a GitLab token',
    'glpat- gldt- glrt- glptt- glft- glsoat- glcbt-',
    /\bgl(?:pat|dt|rt|ptt|ft|soat|cbt)-[\w-]{20}/,
  ),
  kind('a Slack token', 'xoxa xoxb xoxe xoxo xoxp xoxr xoxs xapp-', /\b(?:xox[abeoprs]|xapp)-[\w-]{10}/),
  kind('a Slack webhook', 'hooks.slack.com/', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20}/),
  kind('an Anthropic key', 'sk-ant-', /\bsk-ant-[\w-]{20}/),
  kind('an OpenAI key', 'sk-proj- sk-svcacct- sk-admin-', /\bsk-(?:proj|svcacct|admin)-[\w-]{20}/),
  kind('an OpenAI key', 'T3BlbkFJ', /\bsk-[\w-]{1,100}T3BlbkFJ\w{10}/),
  kind('an OpenRouter key', 'sk-or-v1-', /\bsk-or-v1-[0-9a-f]{40}/),
  kind('a Stripe key', 'sk_live_ rk_live_ sk_test_ rk_test_', /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16}/),
  kind('a Stripe webhook secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/]{24}/),
  kind('a Google API key', 'AIza', /\bAIza[\w-]{35}/),
  kind('a Google client secret', 'GOCSPX-', /\bGOCSPX-[\w-]{28}/),
  kind('a Google access token', 'ya29.', /\bya29\.[\w-]{30}/),
  kind('an npm token', 'npm_', /\bnpm_[A-Za-z0-9]{36}/),
  kind('an npm token', '_authToken', /:_authToken\s{0,5}=\s{0,5}(?!\$)[^\s"'$]{16}/),
  kind('a token of jinn-mcp', 'jinn_', /\bjinn_[\w-]{43}/),
  kind('a PyPI token', 'pypi-AgEI', /\bpypi-AgEI[\w-]{40}/),
  kind('a RubyGems key', 'rubygems_', /\brubygems_[0-9a-f]{48}/),
  kind('a Docker token', 'dckr_pat_ dckr_oat_', /\bdckr_[po]at_[\w-]{20}/),
  kind('a Hugging Face token', 'hf_', /\bhf_[A-Za-z0-9]{34}/),
  kind('a Replicate token', 'r8_', /\br8_[A-Za-z0-9]{37}\b/),
  kind('a Groq key', 'gsk_', /\bgsk_[A-Za-z0-9]{48}/),
  kind('a Perplexity key', 'pplx-', /\bpplx-[A-Za-z0-9]{40}/),
  kind('an xAI key', 'xai-', /\bxai-[A-Za-z0-9]{60}/),
  kind('a LangSmith key', 'lsv2_', /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b/),
  kind('a Linear key', 'lin_api_ lin_oauth_', /\blin_(?:api|oauth)_[A-Za-z0-9]{40}/),
  kind('a Notion token', 'ntn_', /\bntn_[A-Za-z0-9]{40}/),
  kind('a Figma token', 'figd_', /\bfigd_[\w-]{36}/),
  kind('a Grafana token', 'glsa_ glc_', /\b(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{32})/),
  kind('a Sentry token', 'sntrys_ sntryu_', /\bsntry[su]_[A-Za-z0-9+/=_-]{40}/),
  kind('a New Relic key', 'NRAK- NRJS-', /\b(?:NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19})\b/),
  kind(
    'a Datadog or Dynatrace token',
    'dt0c01. ddapp_',
    /\b(?:dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|ddapp_[A-Za-z0-9]{34})/,
  ),
  kind('a SendGrid key', 'SG.', /\bSG\.[\w-]{22}\.[\w-]{43}/),
  kind('a Mailgun key', 'key-', /\bkey-[0-9a-f]{32}\b/),
  kind('a Mailchimp key', '-us', /\b[0-9a-f]{32}-us\d{1,2}\b/),
  kind('a Twilio key', 'SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf', /\bSK[0-9a-f]{32}\b/),
  kind('a Telegram bot token', ':AA', /\b\d{8,10}:AA[\w-]{33}\b/),
  kind('a Discord webhook', '/api/webhooks/', /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60}/),
  kind('a Teams webhook', 'webhook.office.com', /\.webhook\.office\.com\/webhookb2\/[\w@-]{36}/),
  kind('a Shopify token', 'shpat_ shpca_ shppa_ shpss_', /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/),
  kind('a Square token', 'sq0atp- sq0csp- EAAA', /\b(?:sq0(?:atp|csp)-[\w-]{22}|EAAA[\w-]{60}\b)/),
  kind('a DigitalOcean token', 'dop_v1_ doo_v1_ dor_v1_', /\bdo[opr]_v1_[0-9a-f]{64}/),
  kind('a Cloudflare key', 'v1.0-', /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}/),
  kind('a Heroku key', 'HRKU-', /\bHRKU-[\w-]{36}/),
  kind('a Netlify token', 'nfp_', /\bnfp_[A-Za-z0-9]{36}/),
  kind('a Fly.io token', 'FlyV1 fm1_ fm2_', /\b(?:FlyV1 )?fm[12][ar]?_[\w+/=-]{60}/),
  kind('a Supabase token', 'sbp_ sb_secret_', /\b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20})/),
  kind('a PlanetScale secret', 'pscale_', /\bpscale_(?:tkn|pw|oauth)_[\w.=-]{32}/),
  kind('a Databricks token', 'dapi', /\bdapi[0-9a-f]{32}(?:-\d)?\b/),
  kind('a Doppler token', 'dp.pt. dp.st. dp.ct.', /\bdp\.(?:pt|st|ct)\.[A-Za-z0-9._-]{40}/),
  kind('a Pulumi token', 'pul-', /\bpul-[0-9a-f]{40}/),
  kind('a Postman key', 'PMAK-', /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  kind('a Terraform Cloud token', '.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60}/),
  kind('a Vault token', 'hvs. hvb. hvr.', /\bhv[sbr]\.[\w-]{24}/),
  kind('a 1Password token', 'ops_eyJ', /\bops_eyJ[A-Za-z0-9+/]{100}/),
  kind('a Tailscale key', 'tskey-', /\btskey-[a-z]{2,12}-\w{6,20}-\w{10}/),
  kind('an Atlassian token', 'ATATT3 ATCTT3 ATBB', /\b(?:AT[AC]TT3[\w=-]{60}|ATBB[A-Za-z0-9]{32}\b)/),
  kind('an Artifactory key', 'AKCp', /\bAKCp[A-Za-z0-9]{69}/),
  kind('an Azure client secret', '8Q~ 7Q~', /[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34}(?![\w~-])/),
  kind('an Azure storage key', 'AccountKey SharedAccessKey', /(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40}/),
  kind('an Azure SAS token', 'sig=', /[?&]sig=[A-Za-z0-9%+/]{40}/),
  kind('an Alibaba access key', 'LTAI', /\bLTAI[A-Za-z0-9]{16,20}\b/),
  kind('a Clojars token', 'CLOJARS_', /\bCLOJARS_[0-9a-f]{60}/),
  kind('an Airtable token', 'pat', /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/),
  kind('an EasyPost key', 'EZAK EZTK', /\bEZ[AT]K[A-Za-z0-9]{54}/),
  kind(
    'a password in a URL',
    '://',
    /\b[a-z][a-z0-9+.-]{0,15}:\/\/(?<user>[^\s/:@"'`<>{}$]{0,64}):(?<password>[^\s/@"'`<>{}$]{3,128})@[\w.-]/,
  ),
  kind('a signed token', 'eyJ', /\beyJ[\w-]{10,200}\.eyJ[\w-]{10,400}\.[\w-]{10}/),
  { marks: ['Bearer '], shape: /\bBearer (?=[^\s"']{0,200}\d)[\w.~+/-]{20}/, what: 'a token' },
  {
    marks: ['Basic '],
    shape: /\bauthorization["']?\s{0,5}[:=]\s{0,5}["']?Basic [A-Za-z0-9+/]{12}/i,
    what: 'a password',
  },
  // A name, a separator, and a value in quotes or without them. Whether the value is a secret is judged.
  {
    marks: WORDS,
    shape: new RegExp(
      /(?<name>(?:(?:api|access|private|auth|account|encryption|signing|shared)[_-]?key|secret|token|passw(?:or)?d|passphrase|(?<![a-z])(?:pass|pwd)|credentials?)[\w-]{0,40})["'\]]{0,2}/
        .source +
        /(?<separator>\s{0,20}(?::\s{0,5}[\w.<>?|&'[\]]{1,30}\s{0,5})?(?::?=>?|:)\s{0,20}|\s{0,5}[,(]\s{0,5}|\s{1,5}value=|(?:\s[^<>\n]{1,100})?>|\s{1,5})/
          .source +
        /(?:[a-z@]{0,2}(?<quote>["'`])(?<quoted>(?:\\.|[^\s\\"'`]){6,400})\k<quote>|(?<bare>[^\s"'`<>()[\]{},;]{6,400})(?=[\s"'`;,)}\]<>]|$))/
          .source,
      'i',
    ),
    what: 'a secret that is assigned',
  },
];

const KEY_LINE = /^[ +-]?\s*[\w+/=]{20,}\s*$/;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY/;
export const PRIVATE_KEY = 'a private key';
const KEY_MARKS = SECRET_KINDS.filter(({ what }) => what === PRIVATE_KEY).flatMap(({ marks }) => marks);
const AROUND = 120;
/** No shape fits a shorter text. Most texts of a picture are shorter. */
const MIN_SECRET = 10;

/** Replaces what looks like a secret by its kind, up to a blank or a quote. After the head of a private key, all. */
export function redactSecrets(text: string, kinds: readonly SecretKind[] = SECRET_KINDS): string {
  let shown = text;
  for (const kind of kinds) {
    if (!isMarked(kind, shown)) continue;
    let [redacted, from] = ['', 0];
    for (const { start, end } of secretsOf(kind, shown)) {
      if (start < from) continue;
      redacted += `${shown.slice(from, start)}[${kind.what}]`;
      from = kind.what === PRIVATE_KEY ? shown.length : end + (/^[^\s"']*/.exec(shown.slice(end))?.[0].length ?? 0);
    }
    shown = redacted + shown.slice(from);
  }
  return shown;
}

/** Finds the secrets of a kind in a text. Examples and default passwords are none. */
export function* secretsOf(kind: SecretKind, text: string): Iterable<{ readonly start: number; readonly end: number }> {
  for (const match of text.matchAll(patternOf(kind))) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (isReal(match, text)) yield { start, end };
  }
}

function isReal({ 0: found, index, groups = {} }: RegExpExecArray, text: string): boolean {
  const { user = '', password, name, separator = '', quote, quoted, bare } = groups;
  if (password !== undefined) return isUrlPassword(user, password);
  if (name === undefined) return !isPlaceholder(found);
  const end = index + found.length;
  const lineStart = text.lastIndexOf('\n', index - 1) + 1;
  const assigned: Omit<AssignedValue, 'value'> = {
    name,
    separator,
    quote,
    before: text.slice(Math.max(lineStart, index - AROUND), index),
    after: /^[^\n]{0,100}/.exec(text.slice(end, end + AROUND))?.[0] ?? '',
  };
  // In an address, the value ends where the next one starts.
  const value = quoted ?? bare ?? '';
  const isQuery = separator === '=' && /[?&;][\w.-]*$/.test(assigned.before);
  return isAssignedSecret({ ...assigned, value: isQuery ? (value.split('&')[0] ?? '') : value });
}

/** Reports whether a file may hold a private key, also one in UTF-16. */
export function holdsKey(content: Buffer): boolean {
  const isWide = content.includes(0);
  return KEY_MARKS.some((mark) => content.includes(mark) || (isWide && content.includes(Buffer.from(mark, 'utf16le'))));
}

function isMarked({ marks }: SecretKind, text: string): boolean {
  return marks.some((mark) => text.includes(mark));
}

const patterns = new Map<SecretKind, RegExp>();

function patternOf(kind: SecretKind): RegExp {
  const known = patterns.get(kind);
  if (known) return known;
  const made = new RegExp(kind.shape.source, `gm${kind.shape.flags}`);
  patterns.set(kind, made);
  return made;
}

/**
 * Copies a JSON value without secrets: what looks like one, any text under a name such as `password`, and a private key
 * that is spread over the texts of a list. `whole` is the JSON of the value.
 */
export function redactMembers(value: unknown, whole: string = JSON.stringify(value) ?? ''): unknown {
  const kinds = SECRET_KINDS.filter((kind) => isMarked(kind, whole));
  if (kinds.length === 0 && !SECRET_NAME.test(whole)) return value;
  let isInKey = false;
  const redactText = (text: string): string => {
    if (text.length < MIN_SECRET) return text;
    if (isInKey && KEY_LINE.test(text)) return `[${PRIVATE_KEY}]`;
    const shown = redactSecrets(text, kinds);
    if (KEY_END.test(text)) isInKey = false;
    else if (shown.includes(`[${PRIVATE_KEY}]`)) isInKey = true;
    return shown;
  };
  const redact = (each: unknown): unknown => {
    if (typeof each === 'string') return redactText(each);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(redact);
    const members = Object.entries(each).map(([name, member]) => {
      const isSecret = typeof member === 'string' && member !== '' && SECRET_NAME.test(name);
      return [redactText(name), isSecret ? '[a secret]' : redact(member)];
    });
    return Object.fromEntries(members);
  };
  return redact(value);
}
