export type ConfigMembers = Readonly<Record<string, unknown>>;

export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Remote {
  readonly url: string;
  readonly hasToken: boolean;
}

export interface HostDirectories {
  readonly home: string;
  readonly config: string;
  /** The configuration directory of desktop programs, which differs on macOS. */
  readonly desktop: string;
  readonly root: string;
}

export interface HostKind {
  readonly title: string;
  /** Returns the files that may register servers. The first one that exists counts, otherwise the last. */
  files(places: HostDirectories): readonly string[];
  readonly format: 'json' | 'toml' | 'yaml';
  readonly key: string;
  /** How the host names the project in arguments, or undefined if it starts servers in the project. */
  readonly project: 'here' | 'absolute' | string;
  entry(launch: LaunchCommand): ConfigMembers;
  /** Makes the same for a server that listens. Absent if the host takes none from its file. */
  remote?(remote: Remote): ConfigMembers;
  readonly readsToken?: boolean;
  /** The further members of a new entry. They belong to the user from then on. */
  readonly defaults?: ConfigMembers;
}

export const TOKEN_VARIABLE = 'JINN_MCP_TOKEN';
/** The members of an entry that say how the server is reached. All others are the user's. */
const OURS = new Set(
  'command args cmd type source transport url uri httpUrl serverUrl headers http_headers bearer_token_env_var name env_keys'.split(
    ' ',
  ),
);

/** Reports whether a member of an entry says how the server is reached. */
export function isOurs(name: string): boolean {
  return OURS.has(name);
}

const plain = ({ command, args }: LaunchCommand) => ({ command, args });
const bearer = (variable: string) => ({ headers: { Authorization: `Bearer ${variable}` } });
const inBraces = bearer(`\${${TOKEN_VARIABLE}}`);
const inEnvBraces = bearer(`\${env:${TOKEN_VARIABLE}}`);

/** The form of most hosts. */
const USUAL = { format: 'json', key: 'mcpServers', project: 'absolute', entry: plain } as const;

/** Each host that jinn-mcp can be registered with, by the name that `install` takes. */
export const HOSTS: Readonly<Record<string, HostKind>> = {
  'claude-code': {
    ...USUAL,
    title: 'Claude Code',
    files: ({ root }) => [`${root}/.mcp.json`],
    project: 'here',
    remote: ({ url, hasToken }) => ({ type: 'http', url, ...(hasToken && inBraces) }),
    readsToken: true,
  },
  'claude-desktop': {
    ...USUAL,
    title: 'Claude Desktop',
    files: ({ desktop }) => [`${desktop}/Claude/claude_desktop_config.json`],
  },
  codex: {
    ...USUAL,
    title: 'Codex',
    files: ({ home }) => [`${home}/.codex/config.toml`],
    format: 'toml',
    key: 'mcp_servers',
    project: 'here',
    remote: ({ url, hasToken }) => ({ url, ...(hasToken && { bearer_token_env_var: TOKEN_VARIABLE }) }),
    readsToken: true,
  },
  cursor: {
    ...USUAL,
    title: 'Cursor',
    files: ({ root }) => [`${root}/.cursor/mcp.json`],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
    project: '${workspaceFolder}',
    remote: ({ url, hasToken }) => ({ url, ...(hasToken && inEnvBraces) }),
    readsToken: true,
  },
  vscode: {
    ...USUAL,
    title: 'VS Code',
    files: ({ root }) => [`${root}/.vscode/mcp.json`],
    key: 'servers',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
    project: '${workspaceFolder}',
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    remote: ({ url, hasToken }) => ({ type: 'http', url, ...(hasToken && inEnvBraces) }),
    readsToken: true,
  },
  windsurf: {
    ...USUAL,
    title: 'Windsurf',
    files: ({ home }) => [`${home}/.codeium/windsurf/mcp_config.json`],
    remote: ({ url, hasToken }) => ({ serverUrl: url, ...(hasToken && inEnvBraces) }),
    readsToken: true,
  },
  zed: {
    ...USUAL,
    title: 'Zed',
    files: ({ config }) => [`${config}/zed/settings.json`],
    key: 'context_servers',
    entry: (launch) => ({ source: 'custom', ...plain(launch) }),
    remote: ({ url }) => ({ url }),
    defaults: { env: {} },
  },
  cline: {
    ...USUAL,
    title: 'Cline',
    // The extension shares a file with the CLI since it has one. It takes over the other file, once.
    files: ({ home, desktop }) => [
      `${home}/.cline/data/settings/cline_mcp_settings.json`,
      `${desktop}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    ],
    remote: ({ url }) => ({ type: 'streamableHttp', url }),
    defaults: { disabled: false, autoApprove: [] },
  },
  'cline-cli': {
    ...USUAL,
    title: 'the CLI of Cline',
    files: ({ home }) => [`${home}/.cline/data/settings/cline_mcp_settings.json`],
    project: 'here',
    entry: (launch) => ({ transport: { type: 'stdio', ...plain(launch) } }),
    remote: ({ url }) => ({ transport: { type: 'streamableHttp', url } }),
  },
  'gemini-cli': {
    ...USUAL,
    title: 'Gemini CLI',
    files: ({ root }) => [`${root}/.gemini/settings.json`],
    project: 'here',
    remote: ({ url, hasToken }) => ({ httpUrl: url, ...(hasToken && inBraces) }),
    readsToken: true,
  },
  opencode: {
    ...USUAL,
    title: 'opencode',
    files: ({ root }) => [`${root}/opencode.jsonc`, `${root}/opencode.json`],
    key: 'mcp',
    project: 'here',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    remote: ({ url, hasToken }) => ({ type: 'remote', url, ...(hasToken && bearer(`{env:${TOKEN_VARIABLE}}`)) }),
    readsToken: true,
    defaults: { enabled: true },
  },
  goose: {
    ...USUAL,
    title: 'Goose',
    files: ({ config }) => [`${config}/goose/config.yaml`],
    format: 'yaml',
    key: 'extensions',
    entry: ({ command, args }) => ({ name: 'jinn', type: 'stdio', cmd: command, args }),
    remote: ({ url, hasToken }) => ({
      name: 'jinn',
      type: 'streamable_http',
      uri: url,
      ...(hasToken && { ...inBraces, env_keys: [TOKEN_VARIABLE] }),
    }),
    readsToken: true,
    defaults: { enabled: true, envs: {}, timeout: 300 },
  },
};

/** Adds the arguments that tell the program which directory the host means. */
export function toLaunch(host: HostKind, program: LaunchCommand, root: string): LaunchCommand {
  if (host.project === 'here') return program;
  const directory = host.project === 'absolute' ? root : host.project;
  return { ...program, args: [...program.args, '--root', directory] };
}

/** Joins what says how the server is reached with what the user has set in the entry so far. */
export function mergeEntry(host: HostKind, reached: ConfigMembers, known: ConfigMembers | undefined): ConfigMembers {
  if (known === undefined) return { ...reached, ...host.defaults };
  const kept = Object.entries(known).filter(([key]) => !OURS.has(key));
  return { ...reached, ...Object.fromEntries(kept) };
}

/** Returns how an entry starts the server, or undefined if the entry does not. */
export function launchOf(entry: ConfigMembers): LaunchCommand | undefined {
  const { command, cmd, args, transport } = entry as { [key: string]: unknown };
  if (typeof transport === 'object' && transport !== null) return launchOf(transport as ConfigMembers);
  const [first = command ?? cmd, ...rest] = Array.isArray(command) ? command : [];
  if (typeof first !== 'string') return undefined;
  return { command: first, args: [...rest, ...(Array.isArray(args) ? args : [])].map(String) };
}

/** Returns the URL of an entry, or undefined if it has none. */
export function urlOf(entry: ConfigMembers): string | undefined {
  const { url, uri, httpUrl, serverUrl, transport } = entry as { [key: string]: unknown };
  if (typeof transport === 'object' && transport !== null) return urlOf(transport as ConfigMembers);
  const found = url ?? uri ?? httpUrl ?? serverUrl;
  return typeof found === 'string' ? found : undefined;
}

/** Returns the flags that the user gave the server: the arguments without the program's file and the root. */
export function flagsOf(entry: ConfigMembers): string[] {
  const { args = [] } = launchOf(entry) ?? {};
  const flags = args[0]?.startsWith('-') === false ? args.slice(1) : [...args];
  return flags.filter((flag, i) => flag !== '--root' && flags[i - 1] !== '--root' && !flag.startsWith('--root='));
}
