export const USAGE = `usage: jinn [--no-history | --version | --help]

Reads JSON requests from standard input and answers each with one line of JSON.
Paths are confined to the directory it is started in.

  echo '{"tool":"read_file","args":{"path":"README.md"}}' | jinn

  --no-history  change files without recording what they were; undo has nothing to restore

Exit status: 0 when every answer was ok, 1 when one was not, 2 for a flag that jinn does not know.
`;

/** What the command line asks for: to serve, or to print a text and end. */
export type Invocation =
  | { readonly serve: true; readonly history: boolean }
  | { readonly serve: false; readonly text: string; readonly status: 0 | 2 };

/** Reads the arguments after the program's name. */
export function parseFlags(argv: readonly string[], version: string): Invocation {
  const [flag] = argv;
  if (flag === undefined) return { serve: true, history: true };
  if (argv.length === 1 && flag === '--no-history') return { serve: true, history: false };
  if (argv.length === 1 && flag === '--version') return { serve: false, text: `${version}\n`, status: 0 };
  if (argv.length === 1 && (flag === '--help' || flag === '-h')) return { serve: false, text: USAGE, status: 0 };
  return {
    serve: false,
    text: `jinn: unknown argument ${JSON.stringify(argv.join(' '))}; try jinn --help\n`,
    status: 2,
  };
}
