import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseLimit } from './budget/size-limit.ts';
import { pageOf } from './document/page.ts';
import { Spool } from './document/spool.ts';
import { type DumpOptions, dump } from './dump.ts';
import { listFiles } from './list.ts';
import { explainLine } from './rules/classify-entry.ts';
import { compileGlobs, type ExclusionNames } from './rules/exclusions.ts';
import { planAgentTargets } from './targets/agent-targets.ts';
import type { CollectOptions } from './targets/collect.ts';
import { escapePath } from './targets/escape-path.ts';
import { type TargetPlan, translateWslPath } from './targets/targets.ts';
import { estimate } from './tokens/tokens.ts';

const MAX_CONTENT_MB = 16;
const MAX_ANSWER_MB = 20;
/** The most files that are read for one answer. That takes some seconds. */
const MAX_FILES = 50_000;
const DEFAULT_TOKENS = 20_000;
const NO_TRANSLATION = 'JINNI_NO_WSL_TRANSLATE';
const MOST_WARNINGS = 20;
const NONE_FOUND = 'no files found: these arguments and the rules include none. debug_explain logs why';

/** What `rules` can say too, and what an operator asks for. */
const UNLISTED = 'size_limit_mb debug_explain not_keywords not_in not_files keep_only exclusions'.split(' ');

const ARGUMENT_NAMES: ExclusionNames = {
  not: 'not_keywords',
  notIn: 'not_in',
  notFiles: 'not_files',
  keepOnly: 'keep_only',
  include: 'include',
};

export const readContext = defineTool({
  name: 'read_context',
  effect: 'read',
  description:
    'Read a project, or parts of it, as one text. What does not fit into max_tokens is ranked: the best files come whole, the next as outlines, the rest in the next part. Omits what .gitignore, .contextfiles and built-in rules exclude (see usage).',
  input: (z) => {
    const list = (about: string) => z._default(z.array(z.string()).check(z.describe(about)), []);
    return z.strictObject({
      project_root: z._default(z.string().check(z.minLength(1), z.describe('Directory')), '.'),
      targets: list('Paths'),
      rules: list('As in .contextfiles ("!" excludes)'),
      max_tokens: z.optional(z.int().check(z.minimum(100), z.describe('By default 20,000, or what fits'))),
      part: z._default(z.int().check(z.minimum(1), z.describe('Part')), 1),
      focus: z.optional(z.string().check(z.describe('Task, path or name to rank by'))),
      include: list('Globs of files'),
      outline: list('Globs of files to outline'),
      changed: z.optional(
        z
          .string()
          .check(z.minLength(1), z.describe('Only what changed since this commit, or in a range: A..B, A...B, C^!')),
      ),
      no_defaults: z._default(z.boolean().check(z.describe('Lock files and the like too')), false),
      list_only: z._default(z.boolean().check(z.describe('Paths')), false),
      offset: z._default(z.int().check(z.minimum(0), z.describe('Bytes')), 0),
      size_limit_mb: z.optional(z.int().check(z.describe('At most 16'))),
      debug_explain: z._default(z.boolean().check(z.describe('Log why')), false),
      not_keywords: list('Leave out tests, docs, vendor, build, examples, generated, or a part of names'),
      not_in: list('The same in one directory: "src/app:tests,docs"'),
      not_files: list('Leave out: "*.min.js"'),
      keep_only: list('Only these directories'),
      exclusions: z.optional(
        z
          .strictObject({
            global: list('As not_keywords'),
            scoped: z
              ._default(z.record(z.string(), z.array(z.string())), {})
              .check(z.describe('As not_in: {"src": ["tests"]}')),
            patterns: list('As not_files'),
          })
          .check(z.describe('The same in the form of the original jinni')),
      ),
    });
  },
  examples: [
    { list_only: true },
    { include: ['src/**/*.ts'], outline: ['**'], max_tokens: 10_000 },
    { focus: 'fix a bug in the parser of dates', max_tokens: 8_000 },
    { changed: 'main' },
    { project_root: '/path/to/project', targets: ['src', 'README.md'], rules: ['!*.min.js'] },
  ],
  hosting: { maxResult: 200_000, searchWords: 'whole project codebase dump overview', unlisted: UNLISTED },

  async run(args, ctx): Promise<ToolOutput> {
    const { workspace, environment, checkpoint, log } = ctx;
    const { exclusions } = args;
    const translate = (path: string) => (environment[NO_TRANSLATION] === '1' ? path : translateWslPath(path));
    const asked = { workspace, projectRoot: translate(args.project_root), targets: args.targets.map(translate) };
    const { plan, only } = await planAgentTargets(asked, args.changed, ctx);
    const warnings = new Warnings();
    const options: CollectOptions & Pick<DumpOptions, 'counter'> = {
      overrides: { file: 'rules', content: Buffer.from(args.rules.join('\n')) },
      not: [...args.not_keywords, ...(exclusions?.global ?? [])],
      notIn: [
        ...args.not_in,
        ...Object.entries(exclusions?.scoped ?? {}).map(([at, words]) => `${at}:${words.join(',')}`),
      ],
      notFiles: [...args.not_files, ...(exclusions?.patterns ?? [])],
      keepOnly: args.keep_only,
      include: args.include,
      names: ARGUMENT_NAMES,
      noDefaults: args.no_defaults,
      checkpoint,
      charsets: ctx,
      counter: estimate,
      warn: (sentence) => warnings.add(sentence),
      onOmissions: (sentence) => warnings.addSummary(`${sentence}; no_defaults takes them in`),
      explain: args.debug_explain ? (explanation) => log(explainLine(explanation)) : undefined,
    };
    const limit = chooseLimit(args.size_limit_mb, environment['JINNI_MAX_SIZE_MB'], options.warn);
    const limits = { sizeLimitMb: Math.min(limit, MAX_CONTENT_MB), isLimitFinal: limit >= MAX_CONTENT_MB };
    try {
      const bytes = args.list_only
        ? await list(plan, { ...options, only })
        : await document(plan, { ...options, ...limits, ...dumpOptionsOf(args, plan, ctx), only });
      if (bytes.length === 0) options.warn(NONE_FOUND);
      return { ...pageOf(bytes, args.offset, ctx), warnings: warnings.sentences() };
    } finally {
      plan.close();
    }
  },
});

interface DocumentArgs {
  readonly max_tokens?: number | undefined;
  readonly part: number;
  readonly focus?: string | undefined;
  readonly debug_explain: boolean;
  readonly outline: readonly string[];
}

/** A budget that the agent chose may have more bytes than the host accepts. Then the answer comes in pages. */
function dumpOptionsOf(args: DocumentArgs, plan: TargetPlan, { environment, maxResult, signal, log }: ToolContext) {
  const { max_tokens, part, focus, outline, debug_explain } = args;
  return {
    maxFiles: MAX_FILES,
    maxTokens: max_tokens ?? DEFAULT_TOKENS,
    maxBytes: max_tokens === undefined ? maxResult : undefined,
    part,
    focus,
    explainBudget: debug_explain ? (lines: readonly string[]) => log(lines.join('\n')) : undefined,
    isOutlined: outline.length > 0 ? compileGlobs(outline, 'outline', plan) : undefined,
    secrets: 'warn' as const,
    recent: async () => (await import('@jinn/git/git-log')).recentChanges(plan.outputRoot, environment, signal),
    more: (nextPart: number) => `For more: read_context ${JSON.stringify({ ...givenArgs(args), part: nextPart })}`,
  };
}

function givenArgs(args: object): object {
  const isGiven = ([name, value]: [string, unknown]) =>
    ![undefined, false, '.'].includes(value as string) &&
    name !== 'offset' &&
    !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(args).filter(isGiven));
}

async function list(plan: TargetPlan, options: CollectOptions): Promise<Buffer> {
  const answer = new Spool();
  const take = ({ path }: { path: string }) => {
    answer.write(answer.size > 0 ? `\n${escapePath(path)}` : escapePath(path));
    checkSize(answer, 'name targets, or exclude what you do not need with rules or not_keywords');
  };
  await listFiles(plan, options, { take });
  return Buffer.concat(answer.chunks());
}

async function document(plan: TargetPlan, options: DumpOptions): Promise<Buffer> {
  const answer = new Spool();
  const write = (bytes: Buffer) => {
    answer.write(bytes);
    checkSize(answer, 'name targets, exclude what you do not need with rules or not_keywords, or ask with list_only');
  };
  await dump(plan, options, { write });
  return Buffer.concat(answer.chunks());
}

function checkSize({ size }: Spool, suggestion: string): void {
  if (size <= MAX_ANSWER_MB * 1024 * 1024) return;
  throw new ToolError('resource_limit', `the answer is larger than ${MAX_ANSWER_MB} MB`, { suggestion });
}

/** Beyond a number of warnings on single files, which come on top of the budget, they are only counted. */
class Warnings {
  readonly #shown: string[] = [];
  readonly #told: string[] = [];
  #others = 0;

  add(sentence: string): void {
    if (this.#shown.length < MOST_WARNINGS) this.#shown.push(sentence);
    else this.#others++;
  }

  addSummary(sentence: string): void {
    this.#told.push(sentence);
  }

  sentences(): string[] {
    const others = this.#others === 1 ? '1 more warning' : `${this.#others} more warnings`;
    return [...this.#shown, ...(this.#others > 0 ? [`${others} left out`] : []), ...this.#told];
  }
}
