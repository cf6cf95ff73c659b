/** What a secret looks like; each with letters that it must have, which are looked for first. */
const KINDS: readonly { readonly mark: string; readonly shape: RegExp; readonly what: string }[] = [
  { mark: 'AKIA', shape: /\bAKIA[0-9A-Z]{16}\b/, what: 'an AWS access key' },
  { mark: 'ASIA', shape: /\bASIA[0-9A-Z]{16}\b/, what: 'an AWS access key' },
  { mark: 'PRIVATE KEY', shape: /-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----/, what: 'a private key' },
  { mark: 'ghp_', shape: /\bghp_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { mark: 'gho_', shape: /\bgho_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { mark: 'ghs_', shape: /\bghs_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { mark: 'github_pat_', shape: /\bgithub_pat_\w{40}/, what: 'a GitHub token' },
  { mark: 'glpat-', shape: /\bglpat-[\w-]{20}/, what: 'a GitLab token' },
  { mark: 'xox', shape: /\bxox[abposr]-[\w-]{10}/, what: 'a Slack token' },
  { mark: 'sk-ant-', shape: /\bsk-ant-[\w-]{20}/, what: 'an Anthropic key' },
  { mark: 'sk-proj-', shape: /\bsk-proj-[\w-]{20}/, what: 'an OpenAI key' },
  { mark: 'sk_live_', shape: /\bsk_live_[A-Za-z0-9]{16}/, what: 'a Stripe key' },
  { mark: 'AIza', shape: /\bAIza[\w-]{35}/, what: 'a Google API key' },
  { mark: 'npm_', shape: /\bnpm_[A-Za-z0-9]{36}/, what: 'an npm token' },
  {
    mark: '://',
    shape: /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'`<>{}$]+:[^\s/@"'`<>{}$]{3,}@[\w.-]/,
    what: 'a password in a URL',
  },
  { mark: 'eyJ', shape: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, what: 'a signed token' },
  {
    mark: '',
    shape:
      /(?:api[_-]?key|secret|token|passw(?:or)?d)(?:[_-]\w+)?["']?\s*[:=]\s*["'](?=[^"']*\d)(?=[^"']*[A-Za-z])[^\s"'$<>{}]{8,}["']/i,
    what: 'a secret that is assigned',
  },
  {
    mark: '',
    shape: /(?:API_?KEY|SECRET|TOKEN|PASSW(?:OR)?D)(?:_\w+)?=(?=\S*\d)(?=\S*[A-Za-z])[^\s"'$<>{}()]{8,}(?=\s|$)/,
    what: 'a secret that is assigned',
  },
];
const WORDS = ['api', 'API', 'Api', 'secret', 'SECRET', 'Secret', 'token', 'TOKEN', 'Token', 'passw', 'PASSW', 'Passw'];
/** So much of a long line is looked at on each side of the letters: patterns take the square of it. */
const MAX_AROUND = 512;
const NEWLINE = 0x0a;

/**
 * Looks for secrets in a chunk of text whose first line has the given number; gives the number of the line that comes
 * next. A line is told once.
 */
export function findSecrets(chunk: Buffer, firstLine: number, tell: (line: number, what: string) => void): number {
  const found = new Map<number, string>();
  for (const { mark, shape, what } of KINDS) {
    for (const word of mark === '' ? WORDS : [mark]) {
      for (let at = chunk.indexOf(word); at >= 0; at = chunk.indexOf(word, at + word.length)) {
        const start = Math.max(chunk.lastIndexOf(NEWLINE, at) + 1, at - MAX_AROUND);
        const newline = chunk.indexOf(NEWLINE, at);
        const end = Math.min(newline < 0 ? chunk.length : newline, at + MAX_AROUND);
        if (!found.has(start) && shape.test(chunk.toString('latin1', start, end))) found.set(start, what);
      }
    }
  }
  for (const [start, what] of [...found].sort(([a], [b]) => a - b)) {
    tell(firstLine + countLines(chunk.subarray(0, start)), what);
  }
  return firstLine + countLines(chunk);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
