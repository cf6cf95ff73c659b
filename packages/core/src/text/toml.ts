import { parse } from 'smol-toml';

const MAX_DEPTH = 100;

/** Parses TOML. Throws an Error for what is not TOML, or nests too deeply. */
export function parseToml(text: string): Readonly<Record<string, unknown>> {
  return parse(text, { maxDepth: MAX_DEPTH });
}
