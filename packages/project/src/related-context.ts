import { posix } from 'node:path';
import { defineTool, type ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { CLIENTS, type Client, CONTEXT_TYPES } from './related/agent-directories.ts';
import { type CachedIndex, readCache, toCached, writeCache } from './related/context-cache.ts';
import type { EntryColumns } from './related/context-index.ts';
import { type ContextSource, findContextSources } from './related/context-sources.ts';
import { type RankedEntry, rankContext } from './related/rank-context.ts';

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const NO_CLIENT = 'no client is named, so only shared context is searched: pass "client"';
const NO_DIRECTORY =
  'there is no directory with context: put Markdown into ~/.claude/kb, or name directories in related_context.paths of config.json';

export const relatedContext = defineTool({
  name: 'related_context',
  effect: 'read',
  description:
    "Rank the user's knowledge base, skills, agents and commands for a task or an error. Gives names and paths, not content.",
  input: (z) =>
    z.strictObject({
      query: z.string().check(z.minLength(1), z.describe('Prompt, task or error')),
      types: z.optional(z.array(z.enum(CONTEXT_TYPES)).check(z.describe('Kinds'))),
      limit: z._default(z.int().check(z.describe('Maximum')), DEFAULT_LIMIT),
      client: z.optional(z.string().check(z.describe('Whose skills: claude, codex, … or all'))),
      rebuild: z._default(z.boolean().check(z.describe('Read all files again')), false),
    }),
  output: {
    type: 'object',
    properties: {
      results: { type: 'array', items: { type: 'object' } },
      index: { type: 'object' },
      warnings: { type: 'array', items: { type: 'string' } },
    },
    required: ['results', 'index'],
  },
  examples: [
    { query: 'fix goroutine data race', types: ['kb', 'skill'] },
    { query: 'error TS2345: Argument of type string is not assignable', client: 'claude', limit: 10 },
  ],

  async run({ query, types = [], limit, client: asked, rebuild }, ctx) {
    if (query.trim() === '')
      throw new ToolError('invalid_args', 'query is empty', { suggestion: 'say what you look for' });
    const client = toClient(asked?.trim() || ctx.client);
    const found = findContextSources(ctx.user, client, ctx.workspace);
    try {
      const { sources } = found;
      const { index, rebuilt, warnings } = await loadIndex(ctx, client, { sources, rebuild });
      const isWanted = (source: number) => types.length === 0 || types.includes(sources[source]?.type ?? 'kb');
      const ranked = rankContext(index, query, {
        limit: limit > 0 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT,
        isWanted,
      });
      const advice = [...(client === 'none' ? [NO_CLIENT] : []), ...(sources.length === 0 ? [NO_DIRECTORY] : [])];
      const all = [...advice, ...found.warnings, ...warnings];
      const results = toResults(ranked, index.entries, sources);
      return {
        visualize: async () => (await import('./visualize-project.ts')).visualizeContext(results),
        data: {
          results,
          index: {
            entry_count: index.entries.source.length,
            rebuilt,
            build_time: index.built,
            source_count: sources.length,
            client,
          },
          ...(all.length > 0 && { warnings: all }),
        },
      };
    } finally {
      found.close();
    }
  },
});

function toClient(name = ''): Client {
  const wanted = name.trim().toLowerCase();
  if (wanted === '') return 'none';
  const client = CLIENTS.find((known) => known === wanted);
  if (client !== undefined) return client;
  throw new ToolError('invalid_args', `invalid related_context client: ${JSON.stringify(name.slice(0, 60))}`, {
    suggestion: `set "client" to one of ${CLIENTS.join(', ')}`,
  });
}

interface LoadOptions {
  readonly sources: readonly ContextSource[];
  readonly rebuild: boolean;
}

async function loadIndex({ user, checkpoint }: ToolContext, client: Client, { sources, rebuild }: LoadOptions) {
  const cached = rebuild ? undefined : readCache(user.state, client, sources);
  if (cached) return { index: cached, rebuilt: false, warnings: cached.warnings };
  const built = new Date();
  const [{ scanContext }, { buildIndex }] = await Promise.all([
    import('./related/scan-context.ts'),
    import('./related/context-index.ts'),
  ]);
  const index: CachedIndex = toCached(buildIndex(await scanContext(sources, checkpoint)), sources, built);
  const failure = sources.length > 0 ? writeCache(user.state, client, index) : undefined;
  return { index, rebuilt: true, warnings: failure === undefined ? index.warnings : [...index.warnings, failure] };
}

function toResults(ranked: readonly RankedEntry[], entries: EntryColumns, sources: readonly ContextSource[]) {
  const split = (column: 'name' | 'title' | 'description' | 'origin' | 'path') => entries[column].split('\n');
  const [name, title, description] = [split('name'), split('title'), split('description')];
  const [origin, path] = [split('origin'), split('path')];
  return ranked.map(({ at, score, matched }) => {
    const { type = 'kb', root, plugin } = sources[entries.source[at] ?? -1] ?? {};
    return {
      type,
      name: name[at],
      title: title[at],
      ...(description[at] && { description: description[at] }),
      path: posix.join(root?.root ?? '/', path[at] ?? ''),
      score,
      matched,
      ...(origin[at] && { source: origin[at] }),
      ...(plugin !== undefined && { plugin }),
    };
  });
}
