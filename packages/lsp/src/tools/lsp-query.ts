import { defineTool, type Tool, type ToolContext, type ToolOutput, toFailure } from '@jinn/core';
import { answerQuery, QueryCall, type QueryContext } from './answer-query.ts';
import { ACTIONS, checkQuery, type GivenQuery, invalidQuery, type LspQuery } from './query.ts';

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 120;
/** How long a question without a timeout waits for a server that says that it loads. */
const LOADING_MS = 60_000;
const MAX_QUERIES = 50;

export const lspQuery = defineTool({
  name: 'lsp_query',
  effect: 'write',
  description: 'Ask a language server about code, by path with symbol, or line and character. Only apply writes.',
  input: (z) =>
    z.strictObject({
      action: z.optional(z.enum(ACTIONS).check(z.describe('Question'))),
      path: z.optional(z.string().check(z.describe('File'))),
      line: z.optional(z.int().check(z.minimum(1), z.describe('From 1'))),
      character: z.optional(z.int().check(z.minimum(1), z.describe('From 1'))),
      symbol: z.optional(z.string().check(z.minLength(1), z.describe('Name'))),
      new_name: z.optional(z.string().check(z.describe('For rename'))),
      query: z.optional(z.string().check(z.describe('Symbol or action title'))),
      apply: z.optional(z.boolean().check(z.describe('Write changes'))),
      if_versions: z.optional(z.record(z.string(), z.string()).check(z.describe('Path to version'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Skipped'))),
      timeout: z.optional(z.int().check(z.minimum(1), z.describe('Seconds (10)'))),
      queries: z.optional(z.array(z.looseObject({})).check(z.describe('Several of these'))),
    }),
  examples: [
    { action: 'definition', path: 'main.go', line: 15, character: 12 },
    { action: 'references', path: 'main.go', symbol: 'helper' },
    { action: 'rename', path: 'main.go', symbol: 'helper', new_name: 'assist', apply: true },
  ],
  hosting: { unlisted: ['if_versions', 'queries'] },

  async prepare(args, ctx) {
    const files = (args.queries ?? [args]).slice(0, MAX_QUERIES).flatMap((query) => findFile(query, ctx));
    const call = new QueryCall();
    // If no one can be asked, the answer comes without a server, or says what the user can do.
    const question = files.length === 0 || !ctx.canAsk ? undefined : await call.question(files, ctx);
    return { question, run: (at) => answer(args, call, at) };
  },
});

type LspArgs = GivenQuery & {
  readonly timeout?: number | undefined;
  readonly queries?: readonly object[] | undefined;
};

async function answer(args: LspArgs, call: QueryCall, ctx: ToolContext): Promise<ToolOutput> {
  const { timeout = DEFAULT_SECONDS, queries, ...query } = args;
  const limitMs = Math.min(timeout, MAX_SECONDS) * 1000;
  const asking = { ctx, limitMs, call, loadingMs: args.timeout === undefined ? LOADING_MS : undefined };
  if (queries) return answerAll(queries, query, asking);
  const checked = checkQuery(query);
  if (checked.path) ctx.workspace.status(checked.path); // Refused before anything is opened.
  return answerQuery(checked, await call.open(ctx), asking);
}

function findFile(given: object, { workspace }: ToolContext): (string | undefined)[] {
  try {
    const { path } = checkQuery(given as GivenQuery);
    if (!path) return [undefined];
    const found = workspace.status(path);
    return found.kind === 'file' ? [found.path] : [];
  } catch {
    return [];
  }
}

async function answerAll(queries: readonly object[], others: object, asking: QueryContext): Promise<ToolOutput> {
  const { ctx, limitMs, call } = asking;
  const extra = Object.keys(others)[0];
  if (extra !== undefined) throw invalidQuery(`${extra} does not go with queries`, 'put it into each of them');
  if (queries.length === 0 || queries.length > MAX_QUERIES) {
    throw invalidQuery(`queries holds ${queries.length} questions`, `pass 1 to ${MAX_QUERIES}`);
  }
  const checked = await Promise.all(queries.map(checkOne));
  const opened = await call.open(ctx);
  const end = performance.now() + limitMs;
  const answers: ToolOutput[] = [];
  for (const query of checked) {
    const left = Math.max(1, end - performance.now());
    answers.push(await answerQuery(query, opened, { ...asking, limitMs: left }).catch(toText));
    await ctx.checkpoint();
  }
  const parts = answers.map(({ text = '' }, i) => `[${i + 1}] ${titleOf(checked[i] as LspQuery)}\n${text}`);
  return { text: parts.join('\n\n'), meta: { queries: answers.map(({ meta = {} }) => meta) } };
}

async function checkOne(given: object): Promise<LspQuery> {
  const { queries, timeout, ...args } = (await (lspQuery as Tool).input.parse(given)) as GivenQuery & {
    queries?: unknown;
    timeout?: unknown;
  };
  if (queries !== undefined || timeout !== undefined)
    throw invalidQuery('queries holds queries or a timeout', 'take it out');
  const query = checkQuery(args);
  if (query.apply) throw invalidQuery('apply does not go with queries', 'make a call of its own for each change');
  return query;
}

function titleOf({ action, path, line, symbol, query }: LspQuery): string {
  return [action, path, line, symbol, query].filter((part) => part !== undefined).join(' ');
}

function toText(thrown: unknown): ToolOutput {
  const { error } = toFailure(thrown);
  if (error.code === 'canceled' || error.code === 'internal') throw thrown;
  const suggestion = error.suggestion === undefined ? '' : `\n${error.suggestion}`;
  return { text: `${error.code}: ${error.message}${suggestion}`, meta: { error_code: error.code } };
}
