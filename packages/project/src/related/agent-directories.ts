export const CONTEXT_TYPES = ['kb', 'skill', 'agent', 'command'] as const;

export type ContextType = (typeof CONTEXT_TYPES)[number];

export const CLIENTS = [
  ...(['claude', 'codex', 'pi', 'opencode', 'cursor', 'copilot', 'gemini', 'qwen', 'windsurf', 'cline'] as const),
  ...(['roo', 'goose', 'kiro', 'junie', 'factory', 'all'] as const),
] as const;

/** The client whose directories are searched next to the shared ones. "none" if the caller names no client. */
export type Client = (typeof CLIENTS)[number] | 'none';

/** A directory in which an agent keeps Markdown, and the names of those below it that are searched. */
export interface AgentDirectory {
  readonly path: string;
  readonly names: readonly (keyof typeof KINDS)[];
}

/** The type of the files in a directory, by its name. */
const KINDS = {
  kb: 'kb',
  skills: 'skill',
  skill: 'skill',
  agents: 'agent',
  agent: 'agent',
  droids: 'agent',
  commands: 'command',
  command: 'command',
} as const satisfies Record<string, ContextType>;

const CLAUDE: AgentDirectory = { path: '.claude', names: ['skills', 'agents', 'commands'] };
const CLAUDE_SKILLS: AgentDirectory = { path: '.claude', names: ['skills'] };
const CODEX: AgentDirectory = { path: '.codex', names: ['skills'] };
const CURSOR: AgentDirectory = { path: '.cursor', names: ['skills', 'agents', 'commands'] };
const QWEN: AgentDirectory = { path: '.qwen', names: ['skills', 'agents', 'commands'] };
const FACTORY: AgentDirectory = { path: '.factory', names: ['skills', 'droids', 'commands'] };
const OPENCODE = ['skills', 'agents', 'commands', 'skill', 'agent', 'command'] as const;

/** Directories below the home for any client: those that several agents read, and no one of them owns. */
const SHARED: readonly AgentDirectory[] = [
  { path: '.claude', names: ['kb'] },
  { path: '.agents', names: ['skills'] },
  { path: '.config/agents', names: ['skills'] },
];

/** By the documentation of each client, with the directories that it takes over from others. */
const HOME: Readonly<Record<Exclude<Client, 'none' | 'all'>, readonly AgentDirectory[]>> = {
  claude: [CLAUDE],
  codex: [CODEX],
  pi: [{ path: '.pi/agent', names: ['skills'] }],
  opencode: [{ path: '.config/opencode', names: OPENCODE }, CLAUDE_SKILLS],
  cursor: [CURSOR, CLAUDE_SKILLS, CODEX],
  copilot: [{ path: '.copilot', names: ['skills', 'agents'] }],
  gemini: [{ path: '.gemini', names: ['skills'] }],
  qwen: [QWEN],
  windsurf: [{ path: '.codeium/windsurf', names: ['skills'] }],
  cline: [{ path: '.cline', names: ['skills'] }],
  roo: [{ path: '.roo', names: ['skills', 'commands'] }],
  goose: [{ path: '.config/goose', names: ['skills'] }, CLAUDE_SKILLS],
  kiro: [{ path: '.kiro', names: ['skills'] }],
  junie: [{ path: '.junie', names: ['skills'] }],
  factory: [FACTORY],
};

/** Directories below a workspace for any client. */
export const WORKSPACE: readonly AgentDirectory[] = [
  CLAUDE,
  { path: '.agents', names: ['skills'] },
  CODEX,
  { path: '.opencode', names: OPENCODE },
  CURSOR,
  { path: '.github', names: ['skills', 'agents'] },
  { path: '.gemini', names: ['skills'] },
  QWEN,
  { path: '.pi', names: ['skills'] },
  { path: '.windsurf', names: ['skills'] },
  { path: '.cline', names: ['skills'] },
  { path: '.clinerules', names: ['skills'] },
  { path: '.roo', names: ['skills', 'commands'] },
  { path: '.goose', names: ['skills'] },
  { path: '.kiro', names: ['skills'] },
  { path: '.junie', names: ['skills'] },
  FACTORY,
  { path: '.', names: ['skills'] },
];

/** Returns the directories below the home that are searched for a client. */
export function homeDirectoriesOf(client: Client): readonly AgentDirectory[] {
  if (client === 'none') return SHARED;
  return [...SHARED, ...(client === 'all' ? Object.values(HOME).flat() : HOME[client])];
}

/** Returns the directories that are searched below one, with the type of their entries. */
export function searchedBelow({ path, names }: AgentDirectory): { path: string; type: ContextType }[] {
  return names.map((name) => ({ path: path === '.' ? name : `${path}/${name}`, type: KINDS[name] }));
}
