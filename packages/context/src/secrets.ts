interface Kind {
  /** Every secret of this kind has one of these, which are searched first. */
  readonly marks: readonly string[];
  readonly shape: RegExp;
  readonly what: string;
}

const UPPER = ['API', 'SECRET', 'TOKEN', 'PASSW'];
const WORDS = [...UPPER, 'api', 'Api', 'secret', 'Secret', 'token', 'Token', 'passw', 'Passw'];
/** What secrets look like. Every shape is bounded: from a beginning it tries a bounded number of characters. */
const KINDS: readonly Kind[] = [
  { marks: ['AKIA', 'ASIA'], shape: /\bA(?:K|S)IA[0-9A-Z]{16}\b/, what: 'an AWS access key' },
  { marks: ['PRIVATE KEY'], shape: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----/, what: 'a private key' },
  { marks: ['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'], shape: /\bgh[posur]_[A-Za-z0-9]{36}/, what: 'a GitHub token' },
  { marks: ['github_pat_'], shape: /\bgithub_pat_\w{40}/, what: 'a GitHub token' },
  { marks: ['glpat-'], shape: /\bglpat-[\w-]{20}/, what: 'a GitLab token' },
  { marks: ['xox'], shape: /\bxox[abposr]-[\w-]{10}/, what: 'a Slack token' },
  { marks: ['sk-ant-'], shape: /\bsk-ant-[\w-]{20}/, what: 'an Anthropic key' },
  { marks: ['sk-proj-'], shape: /\bsk-proj-[\w-]{20}/, what: 'an OpenAI key' },
  { marks: ['T3BlbkFJ'], shape: /\bsk-[\w-]{1,100}T3BlbkFJ\w{10}/, what: 'an OpenAI key' },
  { marks: ['sk_live_'], shape: /\bsk_live_[A-Za-z0-9]{16}/, what: 'a Stripe key' },
  { marks: ['AIza'], shape: /\bAIza[\w-]{35}/, what: 'a Google API key' },
  { marks: ['npm_'], shape: /\bnpm_[A-Za-z0-9]{36}/, what: 'an npm token' },
  { marks: ['hf_'], shape: /\bhf_[A-Za-z0-9]{34}/, what: 'a Hugging Face token' },
  {
    marks: ['://'],
    shape: /\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s/:@"'`<>{}$]{1,64}:[^\s/@"'`<>{}$]{3,128}@[\w.-]/,
    what: 'a password in a URL',
  },
  { marks: ['eyJ'], shape: /\beyJ[\w-]{10,200}\.eyJ[\w-]{10,400}\.[\w-]{10}/, what: 'a signed token' },
  { marks: ['Bearer '], shape: /\bBearer (?=[^\s"']{0,200}\d)[\w.~+/-]{20}/, what: 'a token' },
  {
    marks: WORDS,
    shape:
      /(?:api[_-]?key|secret|token|passw(?:or)?d)(?:[_-]\w{1,40})?["']?\s{0,20}[:=]\s{0,20}["'](?=[^"']{0,400}\d)(?=[^"']{0,400}[A-Za-z])[^\s"'$<>{}]{8,400}["']/i,
    what: 'a secret that is assigned',
  },
  {
    marks: UPPER,
    shape:
      /(?:API_?KEY|SECRET|TOKEN|PASSW(?:OR)?D)(?:_\w{1,40})?=(?=\S{0,400}\d)(?=\S{0,400}[A-Za-z])[^\s"'$<>{}()]{8,400}(?=\s|$)/,
    what: 'a secret that is assigned',
  },
  // A line of a configuration file. An identifier with one number in it, such as a type, is no secret.
  {
    marks: WORDS,
    shape:
      /^\s{0,40}(?:export )?[\w.-]{0,60}(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d)\s{0,20}[:=]\s{0,20}(?![A-Za-z]{0,100}\d{0,3}[A-Za-z]{0,100}\s{0,20}$)(?=\S{0,400}\d)(?=\S{0,400}[A-Za-z])[^\s"'$<>{}()[\],;]{8,400}\s{0,20}$/i,
    what: 'a secret that is assigned',
  },
];
/** How much of a long line is searched before and after a mark. */
const AROUND = 512;
const NEWLINE = 0x0a;

/**
 * Finds secrets in a chunk of text whose first line has the given number, and calls `tell` once for each line with one.
 * Returns the number of the line after the chunk.
 */
export function findSecrets(chunk: Buffer, firstLine: number, tell: (line: number, what: string) => void): number {
  const found = KINDS.flatMap((kind) => kind.marks.flatMap((mark) => findShape(chunk, mark, kind)));
  let [line, counted, told] = [firstLine, 0, 0];
  for (const { at, what } of found.sort((a, b) => a.at - b.at)) {
    line += countLines(chunk.subarray(counted, at));
    counted = at;
    if (line !== told) tell(line, what);
    told = line;
  }
  return line + countLines(chunk.subarray(counted));
}

/** Finds a shape around each mark. A part of a line that was searched is not searched again for its other marks. */
function findShape(chunk: Buffer, mark: string, { shape, what }: Kind): { at: number; what: string }[] {
  const found: { at: number; what: string }[] = [];
  for (let at = chunk.indexOf(mark); at >= 0; ) {
    const first = Math.max(0, at - AROUND);
    const start = first + chunk.subarray(first, at).lastIndexOf(NEWLINE) + 1;
    const newline = chunk.subarray(at, at + 2 * AROUND).indexOf(NEWLINE);
    const end = newline < 0 ? at + 2 * AROUND : at + newline;
    if (shape.test(chunk.toString('latin1', start, end))) found.push({ at, what });
    at = chunk.indexOf(mark, Math.max(at + mark.length, newline < 0 ? end - AROUND : end));
  }
  return found;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
