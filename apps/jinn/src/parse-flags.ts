import { nearestName } from '@jinn/errors';
import { type DangerPolicy, SANDBOX_MODES, type SandboxMode } from '@jinn/tool';
import { parseNames, SCHEMA_FORMATS, type SchemaFormat, type ServedChoice } from '@jinn/toolsets';

export const USAGE = `usage: jinn [--toolset NAMES] [--tools NAMES] [--exclude-tools NAMES] [--read-only] [--no-history]
            [--sandbox=off|auto|require] [--no-network] [--visualize] [--meta] [--approvals=stdio]
            [--dangerous=ask|allow|deny] [--progress]
       jinn ui | jinn tools COMMAND | jinn lsp COMMAND | jinn grants COMMAND
       jinn --schema[=FORMAT] [--strict] | --doctor | --version | --help

Reads JSON requests from standard input and answers each with one line of JSON.
Paths are confined to the directory it is started in.

  echo '{"tool":"read_file","args":{"path":"README.md"}}' | jinn
  echo '{"tool":"list_tools"}' | jinn

  --toolset NAMES    serve these toolsets, separated by commas (default: jinn,custom)
  --tools NAMES      serve only these tools of them
  --exclude-tools NAMES
                     serve all but these
  --read-only        serve nothing that writes or executes
  --no-history       change files without recording what they were, for undo
  --sandbox=MODE     run commands in a sandbox: off (default), auto (where one works), require
  --no-network       run commands without the network; needs the sandbox
  --visualize        give what a person may be shown of each result, as visualization
  --meta             give all of meta with every answer, not versions and ids alone
  --progress         write lines on how far a call is, until it is answered
  --approvals=stdio  put what a person must approve to the host as a line, and read the decision
  --dangerous=WHAT   what becomes of dangerous commands: ask, allow or deny; without the flag,
                     the argument force of a call decides
  --schema[=FORMAT]  print the schemas of the tools: openai (the default), openai-responses,
                     anthropic, gemini, mcp; or protocol: the schema of requests and answers
  --strict           print them for strict function calling; of openai and openai-responses
  --doctor           print what works on this machine, and how to get what does not
  -v, --version      print the version
  -h, --help         print this

  jinn ui            opens a page that shows what agents do here, and takes your answers
  jinn tools --help  says how to write, check, install and allow custom tools
  jinn lsp --help    says how to list and allow language servers
  jinn grants --help says how to list what is allowed for good, and to take it back

Exit status: 0 when every answer was ok, 1 when one was not, 2 for flags that jinn does not know.
`;

/** What the command line asks for. */
export type Invocation =
  | {
      readonly do: 'serve';
      readonly served: ServedChoice;
      readonly history: boolean;
      readonly visualize: boolean;
      readonly meta: boolean;
      readonly progress: boolean;
      readonly sandbox: { readonly mode?: SandboxMode | undefined; readonly network?: boolean | undefined };
      /** True if the host puts questions to a person. */
      readonly asks: boolean;
      readonly dangerous: DangerPolicy | undefined;
    }
  | { readonly do: 'doctor' }
  | { readonly do: 'protocol' }
  | {
      readonly do: 'schema';
      readonly served: ServedChoice;
      readonly dangerous: DangerPolicy | undefined;
      readonly format: SchemaFormat;
      readonly strict: boolean;
    }
  | { readonly do: 'print'; readonly text: string };

const DEFAULT_TOOLSETS = ['jinn', 'custom'];

/** What a command line without flags asks for. */
export const NO_FLAGS: Invocation = {
  do: 'serve',
  served: { toolsets: DEFAULT_TOOLSETS, excludeTools: [], readOnly: false },
  history: true,
  visualize: false,
  meta: false,
  progress: false,
  sandbox: {},
  asks: false,
  dangerous: undefined,
};

const OPTIONS = {
  toolset: { type: 'string', multiple: true, default: DEFAULT_TOOLSETS },
  tools: { type: 'string', multiple: true },
  'exclude-tools': { type: 'string', multiple: true, default: [] as string[] },
  'read-only': { type: 'boolean', default: false },
  'no-history': { type: 'boolean' },
  sandbox: { type: 'string' },
  'no-network': { type: 'boolean' },
  approvals: { type: 'string' },
  dangerous: { type: 'string' },
  visualize: { type: 'boolean', default: false },
  meta: { type: 'boolean', default: false },
  progress: { type: 'boolean', default: false },
  schema: { type: 'string' },
  strict: { type: 'boolean', default: false },
  doctor: { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the flags after the program's name; it loads node:util for that. Throws an Error whose message is for the user. */
export function parseFlags(argv: readonly string[], version: string): Invocation {
  const isHelp = argv.length === 1 && argv[0] === 'help';
  const args = argv.map((flag) => (flag === '--schema' ? '--schema=openai' : flag));
  const { values } = parse(isHelp ? ['--help'] : args);
  if (values.help) return { do: 'print', text: USAGE };
  if (values.version) return { do: 'print', text: `${version}\n` };
  if (values.doctor) return { do: 'doctor' };
  const { tools } = values;
  const served: ServedChoice = {
    toolsets: values.toolset.flatMap(parseNames),
    ...(tools !== undefined && { tools: tools.flatMap(parseNames) }),
    excludeTools: values['exclude-tools'].flatMap(parseNames),
    readOnly: values['read-only'],
  };
  const dangerous = toPolicy(values.dangerous);
  if (values.schema === 'protocol') return { do: 'protocol' };
  if (values.schema !== undefined)
    return { do: 'schema', served, dangerous, ...toFormat(values.schema, values.strict) };
  if (values.strict) throw new Error('--strict goes with --schema=openai or --schema=openai-responses');
  const sandbox = { mode: toMode(values.sandbox), network: values['no-network'] ? false : undefined };
  const { visualize, meta, progress, approvals } = values;
  const asking = { asks: toAsks(approvals), dangerous };
  return { do: 'serve', served, history: !values['no-history'], visualize, meta, progress, sandbox, ...asking };
}

function toFormat(asked: string, strict: boolean): { format: SchemaFormat; strict: boolean } {
  const format = SCHEMA_FORMATS.find((known) => known === asked);
  const formats = [...SCHEMA_FORMATS, 'protocol'].join(', ');
  if (format === undefined) throw new Error(`unknown schema format ${JSON.stringify(asked)}; it is one of ${formats}`);
  if (!strict || format.startsWith('openai')) return { format, strict };
  throw new Error(`--strict goes with --schema=openai or --schema=openai-responses, not with ${format}`);
}

function parse(args: string[]) {
  try {
    return process.getBuiltinModule('node:util').parseArgs({ args, options: OPTIONS });
  } catch (error) {
    const [, unknown] = /^Unknown option '--([^']+)'/.exec((error as Error).message) ?? [];
    const nearest = unknown === undefined ? undefined : nearestName(unknown, Object.keys(OPTIONS));
    throw nearest === undefined ? error : new Error(`Unknown option '--${unknown}'; did you mean --${nearest}?`);
  }
}

function toMode(asked: string | undefined): SandboxMode | undefined {
  const mode = SANDBOX_MODES.find((known) => known === asked);
  if (asked === undefined || mode !== undefined) return mode;
  throw new Error(`unknown sandbox mode ${JSON.stringify(asked)}; it is one of ${SANDBOX_MODES.join(', ')}`);
}

function toAsks(asked: string | undefined): boolean {
  if (asked === undefined || asked === 'stdio') return asked !== undefined;
  throw new Error(`unknown way of approvals ${JSON.stringify(asked)}; it is stdio`);
}

const POLICIES = ['ask', 'allow', 'deny'] as const;

function toPolicy(asked: string | undefined): DangerPolicy | undefined {
  const policy = POLICIES.find((known) => known === asked);
  if (asked === undefined || policy !== undefined) return policy;
  throw new Error(`--dangerous=${asked}: it is one of ${POLICIES.join(', ')}`);
}
