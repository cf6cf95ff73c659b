const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const ESCAPE = /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c[\s\S]|[\s\S])/g;

/** Decodes the text between the quotes of `$'…'`. A NUL ends it, as in bash. */
export function decodeAnsiC(body: string): string {
  if (!body.includes('\\')) return body;
  const decoded = body.replace(ESCAPE, (all: string, code: string) => decodeEscape(code) ?? all);
  const nul = decoded.indexOf('\0');
  return nul === -1 ? decoded : decoded.slice(0, nul);
}

function decodeEscape(code: string): string | undefined {
  const [kind = ''] = code;
  if (kind >= '0' && kind <= '7') return fromCode(Number.parseInt(code, 8) & 0xff);
  if (code.length > 1) {
    return kind === 'c' ? fromCode(code.charCodeAt(1) & 0x1f) : fromCode(Number.parseInt(code.slice(1), 16));
  }
  return SIMPLE[kind] ?? ('\'"?\\'.includes(kind) ? kind : undefined);
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
