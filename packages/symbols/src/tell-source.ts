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

/** For a rename within a file, since no server has answered, and why not. */
export function tellInFile(name: string, why: string, isPublic: boolean): string {
  const others = isPublic ? '; others outside of the project may use it, for it is public' : '';
  return `renamed in its file alone, without a language server (${why}): no other source file has ${name} in its code${others}`;
}

/** For what a language server has said. */
export function tellServer({ server, incomplete }: Answer<unknown>, warnings: readonly string[] = []): Told {
  const reasons = incomplete.map((reason) => `may be incomplete: ${reason}`);
  return { warnings: [...warnings, ...reasons], meta: { server, complete: incomplete.length === 0 } };
}
