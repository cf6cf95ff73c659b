/** The program and its arguments, as a host starts it. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The directories of this user. */
export interface Places {
  readonly home: string;
  /** The configuration directory: $XDG_CONFIG_HOME, or ~/.config. */
  readonly config: string;
  /** The configuration directory of desktop programs, which differs on macOS. */
  readonly desktop: string;
  /** The root of the project. */
  readonly root: string;
}

export interface HostKind {
  readonly title: string;
  /** The file that registers servers. */
  file(places: Places): string;
  readonly format: 'json' | 'toml' | 'yaml';
  /** The key in the file under which servers stand by their names. */
  readonly key: string;
  /** How the host names the project in arguments; undefined if it starts servers in the project. */
  readonly project: 'here' | 'absolute' | string;
  entry(launch: Launch): object;
}

const plain = ({ command, args }: Launch) => ({ command, args });

/** Each host that jinn-mcp can be registered with, by the name that `install` takes. */
export const HOSTS: Readonly<Record<string, HostKind>> = {
  'claude-code': {
    title: 'Claude Code',
    file: ({ root }) => `${root}/.mcp.json`,
    format: 'json',
    key: 'mcpServers',
    project: 'here',
    entry: plain,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: ({ desktop }) => `${desktop}/Claude/claude_desktop_config.json`,
    format: 'json',
    key: 'mcpServers',
    project: 'absolute',
    entry: plain,
  },
  codex: {
    title: 'Codex',
    file: ({ home }) => `${home}/.codex/config.toml`,
    format: 'toml',
    key: 'mcp_servers',
    project: 'here',
    entry: plain,
  },
  cursor: {
    title: 'Cursor',
    file: ({ root }) => `${root}/.cursor/mcp.json`,
    format: 'json',
    key: 'mcpServers',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
    project: '${workspaceFolder}',
    entry: plain,
  },
  vscode: {
    title: 'VS Code',
    file: ({ root }) => `${root}/.vscode/mcp.json`,
    format: 'json',
    key: 'servers',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
    project: '${workspaceFolder}',
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
  },
  windsurf: {
    title: 'Windsurf',
    file: ({ home }) => `${home}/.codeium/windsurf/mcp_config.json`,
    format: 'json',
    key: 'mcpServers',
    project: 'absolute',
    entry: plain,
  },
  zed: {
    title: 'Zed',
    file: ({ config }) => `${config}/zed/settings.json`,
    format: 'json',
    key: 'context_servers',
    project: 'absolute',
    entry: (launch) => ({ source: 'custom', ...plain(launch), env: {} }),
  },
  cline: {
    title: 'Cline',
    file: ({ desktop }) => `${desktop}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    format: 'json',
    key: 'mcpServers',
    project: 'absolute',
    entry: (launch) => ({ ...plain(launch), disabled: false, autoApprove: [] }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: ({ root }) => `${root}/.gemini/settings.json`,
    format: 'json',
    key: 'mcpServers',
    project: 'here',
    entry: plain,
  },
  opencode: {
    title: 'opencode',
    file: ({ root }) => `${root}/opencode.json`,
    format: 'json',
    key: 'mcp',
    project: 'here',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
  goose: {
    title: 'Goose',
    file: ({ config }) => `${config}/goose/config.yaml`,
    format: 'yaml',
    key: 'extensions',
    project: 'absolute',
    entry: ({ command, args }) => ({
      name: 'jinn',
      type: 'stdio',
      cmd: command,
      args,
      enabled: true,
      envs: {},
      timeout: 300,
    }),
  },
};

/** Adds the arguments that tell the program which directory the host means. */
export function toLaunch(host: HostKind, program: Launch, root: string): Launch {
  if (host.project === 'here') return program;
  const directory = host.project === 'absolute' ? root : host.project;
  return { ...program, args: [...program.args, '--root', directory] };
}
