import type { Answer } from '@jinn/lsp';

/** What an answer says of how it was found. */
interface Told {
  readonly warnings: readonly string[];
  readonly meta: object;
}

/** For what was found by a name, since no server has answered, and why not: what else has the name is among it. */
export function tellTextual(name: string, why: string, warnings: readonly string[]): Told {
  const sentence = `found by the name ${name} in syntax trees, without a language server (${why}): others of that name are among them`;
  return { warnings: [...warnings, sentence], meta: { textual: true } };
}

/** For a rename by syntax trees, since no server has answered, and why not. */
export function tellRenamed(name: string, why: string, warnings: readonly string[]): Told {
  const sentence = `each use of ${name} was judged by syntax trees, without a language server (${why}): the name stays in comments and strings`;
  return { warnings: [...warnings, sentence], meta: { textual: true } };
}

/** For what a language server has said. */
export function tellServer({ server, incomplete }: Answer<unknown>, warnings: readonly string[] = []): Told {
  const reasons = incomplete.map((reason) => `may be incomplete: ${reason}`);
  return { warnings: [...warnings, ...reasons], meta: { server, complete: incomplete.length === 0 } };
}
