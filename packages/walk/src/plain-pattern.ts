const WILDCARD = /[*?[\\]/;
const ESCAPED = /^(?:[^*?[\\]|\\.)*$/s;
const EXTENSION = /^\*(\.[^.*?[\\/]+)$/;

/** The only name or path that a pattern of gitignore matches; undefined for one with wildcards. */
export function literalOf(pattern: string): string | undefined {
  if (!WILDCARD.test(pattern)) return pattern;
  return ESCAPED.test(pattern) ? pattern.replace(/\\(.)/gs, '$1') : undefined;
}

/** `.ts` of `*.ts`; undefined for a pattern of any other form. */
export function extensionOf(pattern: string): string | undefined {
  return pattern.startsWith('*.') ? EXTENSION.exec(pattern)?.[1] : undefined;
}
