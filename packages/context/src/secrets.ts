interface Kind {
  /** One of these it must have; they are looked for first. */
  readonly marks: readonly string[];
  readonly shape: RegExp;
  readonly what: string;
}

const UPPER = ['API', 'SECRET', 'TOKEN', 'PASSW'];
const WORDS = [...UPPER, 'api', 'Api', 'secret', 'Secret', 'token', 'Token', 'passw', 'Passw'];
/** What secrets look like. */
const KINDS: readonly Kind[] = [
  { marks: ['AKIA'], shape: /\bAKIA[0-9A-Z]{16}\b/, what: 'an AWS access key' },
  { marks: ['ASIA'], shape: /\bASIA[0-9A-Z]{16}\b/, what: 'an AWS access key' },
  { marks: ['PRIVATE KEY'], shape: /-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----/, what: 'a private key' },
  { marks: ['ghp_'], shape: /\bghp_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { marks: ['gho_'], shape: /\bgho_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { marks: ['ghs_'], shape: /\bghs_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { marks: ['github_pat_'], shape: /\bgithub_pat_\w{40}/, what: 'a GitHub token' },
  { marks: ['glpat-'], shape: /\bglpat-[\w-]{20}/, what: 'a GitLab token' },
  { marks: ['xox'], shape: /\bxox[abposr]-[\w-]{10}/, what: 'a Slack token' },
  { marks: ['sk-ant-'], shape: /\bsk-ant-[\w-]{20}/, what: 'an Anthropic key' },
  { marks: ['sk-proj-'], shape: /\bsk-proj-[\w-]{20}/, what: 'an OpenAI key' },
  { marks: ['sk_live_'], shape: /\bsk_live_[A-Za-z0-9]{16}/, what: 'a Stripe key' },
  { marks: ['AIza'], shape: /\bAIza[\w-]{35}/, what: 'a Google API key' },
  { marks: ['npm_'], shape: /\bnpm_[A-Za-z0-9]{36}/, what: 'an npm token' },
  {
    marks: ['://'],
    shape: /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'`<>{}$]+:[^\s/@"'`<>{}$]{3,}@[\w.-]/,
    what: 'a password in a URL',
  },
  { marks: ['eyJ'], shape: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, what: 'a signed token' },
  {
    marks: WORDS,
    shape:
      /(?:api[_-]?key|secret|token|passw(?:or)?d)(?:[_-]\w+)?["']?\s*[:=]\s*["'](?=[^"']*\d)(?=[^"']*[A-Za-z])[^\s"'$<>{}]{8,}["']/i,
    what: 'a secret that is assigned',
  },
  {
    marks: UPPER,
    shape: /(?:API_?KEY|SECRET|TOKEN|PASSW(?:OR)?D)(?:_\w+)?=(?=\S*\d)(?=\S*[A-Za-z])[^\s"'$<>{}()]{8,}(?=\s|$)/,
    what: 'a secret that is assigned',
  },
];
/** So much of a long line is looked at on each side of the letters: patterns take the square of it. */
const MAX_AROUND = 512;
const NEWLINE = 0x0a;

/**
 * Looks for secrets in a chunk of text whose first line has the given number; gives the number of the line that comes
 * next. A line is told once.
 */
export function findSecrets(chunk: Buffer, firstLine: number, tell: (line: number, what: string) => void): number {
  const found = new Map<number, string>();
  for (const { marks, shape, what } of KINDS) {
    for (const mark of marks) {
      for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + mark.length)) {
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
