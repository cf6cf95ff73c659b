const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/** Returns the name that Git wrote in quotes because of odd characters. Other names stay unchanged. */
export function unquoteName(written: string): string {
  if (!/^".*"$/.test(written)) return written;
  const bytes = Buffer.from(written.slice(1, -1))
    .toString('latin1')
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    );
  return Buffer.from(bytes, 'latin1').toString();
}
