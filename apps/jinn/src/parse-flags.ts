import { DANGER_POLICIES, type DangerPolicy, SANDBOX_MODES } from '@jinn/core';
import { choose, FlagError, ParsedFlags, toUnknown } from '@jinn/core/command-line';
import { flagRows } from '@jinn/core/command-line/help-text';
import { parseNames, type ServedChoice } from '@jinn/toolsets';
import { DEFAULT_TOOLSETS, type Invocation } from './invocation.ts';
import { APPROVAL_WAYS, JINN_FLAGS, PRINTED_SCHEMAS } from './jinn-flags.ts';

const COMMANDS = ['ui', 'tools', 'lsp', 'grants', 'undo', 'completion', 'help'];

export function jinnUsage(): string {
  return `usage: jinn [--toolset NAMES] [--tools NAMES] [--exclude-tools NAMES] [--read-only] [--no-history]
            [--sandbox=off|auto|require] [--no-network] [--visualize] [--meta] [--approvals=stdio]
            [--dangerous=ask|allow|deny] [--progress]
       jinn ui | jinn tools COMMAND | jinn lsp COMMAND | jinn grants COMMAND | jinn undo COMMAND
       jinn --schema[=FORMAT] [--strict] | --doctor | completion bash|zsh|fish | --version | --help

Read JSON requests from standard input, and write one line of JSON for each.
File tools are confined to the working directory, and commands to a sandbox if one works.

  echo '{"tool":"read_file","args":{"path":"README.md"}}' | jinn
  echo '{"tool":"list_tools"}' | jinn

${flagRows(JINN_FLAGS)}
  jinn ui             Open the web UI, which shows calls and asks for approvals
  jinn tools --help   Write, check, install and trust custom tools
  jinn lsp --help     List and trust language servers
  jinn grants --help  List and revoke saved approvals
  jinn undo --help    List, preview and undo changes of tools

Exit status: 0 if every response was ok, 1 if one was not, 2 for invalid flags.
`;
}

/** Parses the flags after the program's name. Throws an Error whose message is for the user. */
export function parseJinnFlags(argv: readonly string[], version: string): Invocation {
  const isHelp = argv.length === 1 && argv[0] === 'help';
  const given = new ParsedFlags(JINN_FLAGS, argv);
  if (given.has('help') || isHelp) return { do: 'print', text: jinnUsage() };
  if (given.has('version')) return { do: 'print', text: `${version}\n` };
  const [word] = given.words;
  if (word !== undefined)
    throw toUnknown('command', word, { known: COMMANDS, hint: 'requests come on standard input' });
  const network = given.has('no-network') ? false : undefined;
  const sandbox = { mode: choice(given, 'sandbox', SANDBOX_MODES), network };
  if (given.has('doctor')) return { do: 'doctor', sandbox };
  const served: ServedChoice = {
    toolsets: given.has('toolset') ? given.all('toolset').flatMap(parseNames) : DEFAULT_TOOLSETS,
    ...(given.has('tools') && { tools: given.all('tools').flatMap(parseNames) }),
    excludeTools: given.all('exclude-tools').flatMap(parseNames),
    readOnly: given.has('read-only'),
  };
  const asks = choice(given, 'approvals', APPROVAL_WAYS) !== undefined;
  // Who can ask the user asks: no argument of a call answers for them.
  const dangerous = choice(given, 'dangerous', DANGER_POLICIES) ?? (asks ? 'ask' : undefined);
  if (given.has('schema')) return askedSchema(given, { served, dangerous });
  if (given.has('strict')) throw new FlagError('--strict goes with --schema=openai or --schema=openai-responses');
  return {
    do: 'serve',
    served,
    history: !given.has('no-history'),
    visualize: given.has('visualize'),
    meta: given.has('meta'),
    progress: given.has('progress'),
    sandbox,
    asks,
    dangerous,
  };
}

type GivenFlags = ParsedFlags<keyof typeof JINN_FLAGS>;

function choice<T extends string>(
  given: GivenFlags,
  name: keyof typeof JINN_FLAGS,
  known: readonly T[],
): T | undefined {
  const value = given.last(name);
  return value === undefined ? undefined : choose(`--${name}`, known, value);
}

function askedSchema(
  given: GivenFlags,
  rest: { readonly served: ServedChoice; readonly dangerous: DangerPolicy | undefined },
): Invocation {
  const format = choose('--schema', PRINTED_SCHEMAS, given.last('schema') || 'openai');
  if (format === 'protocol') return { do: 'protocol' };
  const strict = given.has('strict');
  if (!strict || format.startsWith('openai')) return { do: 'schema', ...rest, format, strict };
  throw new FlagError(`--strict goes with --schema=openai or --schema=openai-responses, not with ${format}`);
}
