export const CONTEXT_TYPES = ['kb', 'skill', 'agent', 'command'] as const;

export type ContextType = (typeof CONTEXT_TYPES)[number];

export const CLIENTS = [
  ...(['claude', 'codex', 'pi', 'opencode', 'cursor', 'copilot', 'gemini', 'qwen', 'windsurf', 'cline'] as const),
  ...(['roo', 'goose', 'kiro', 'junie', 'factory', 'all'] as const),
] as const;

/** The client whose directories are searched beside the shared ones; "none" if the caller names no client. */
export type Client = (typeof CLIENTS)[number] | 'none';
