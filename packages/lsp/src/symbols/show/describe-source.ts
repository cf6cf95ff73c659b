import type { Answer } from '../../index.ts';

interface SourceDescription {
  readonly warnings: readonly string[];
  readonly meta: object;
}

/**
 * Says that results were found by name, since no server answered, and why not: other symbols with that name are among
 * them.
 */
export function describeTextual(name: string, why: string, warnings: readonly string[]): SourceDescription {
  const sentence = `found by the name ${name} in syntax trees, without a language server (${why}): others of that name are among them`;
  return { warnings: [...warnings, sentence], meta: { textual: true } };
}

/** Says that a language server has answered, and why its answer may be incomplete. */
export function describeServer(
  { server, incomplete }: Answer<unknown>,
  warnings: readonly string[] = [],
): SourceDescription {
  const reasons = incomplete.map((reason) => `may be incomplete: ${reason}`);
  return { warnings: [...warnings, ...reasons], meta: { server, complete: incomplete.length === 0 } };
}
