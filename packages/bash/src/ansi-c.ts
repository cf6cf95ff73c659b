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

const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g;

/** What stands between the quotes of `$'…'`, decoded. A NUL ends it, as in bash. */
export function decodeAnsiC(body: string): string {
  if (!body.includes('\\')) return body;
  const decoded = body.replace(
    ESCAPE,
    (all: string, hex?: string, u?: string, long?: string, octal?: string, control?: string, other?: string) => {
      const code = hex ?? u ?? long;
      if (code !== undefined) return fromCode(Number.parseInt(code, 16));
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff);
      if (control !== undefined) return fromCode(control.charCodeAt(0) & 0x1f);
      if (other === undefined) return all;
      return SIMPLE[other] ?? ('\'"?\\'.includes(other) ? other : all);
    },
  );
  const nul = decoded.indexOf('\0');
  return nul === -1 ? decoded : decoded.slice(0, nul);
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
