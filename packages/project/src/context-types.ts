export const CONTEXT_TYPES = ['kb', 'skill', 'agent', 'command'] as const;

export type ContextType = (typeof CONTEXT_TYPES)[number];

export const CLIENTS = ['claude', 'codex', 'pi', 'all'] as const;

/** Whose directories are looked at beside the shared ones; none when nobody said. */
export type Client = (typeof CLIENTS)[number] | 'none';
