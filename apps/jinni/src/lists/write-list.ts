import {
  type CollectOptions,
  type ListedFile,
  listFiles,
  type planNamedTargets,
  type Sink,
  showPath,
} from '@jinn/context';
import type { ChangeOptions } from '../changes.ts';
import { counterOf } from '../flags/counter.ts';
import type { Flags } from '../flags.ts';
import { Lines } from '../output.ts';
import type { Machine } from '../program-machine.ts';
import type { Range } from '../range.ts';
import type { Reporter } from '../reporter.ts';

interface ListedRun {
  readonly machine: Machine;
  readonly reporter: Reporter;
  readonly plan: ReturnType<typeof planNamedTargets>;
  readonly options: CollectOptions;
  readonly changes: ChangeOptions;
  readonly range: Range | undefined;
}

/** Writes the list that the flags ask for. */
export async function writeList(flags: Flags, run: ListedRun, sink: Sink): Promise<void> {
  const lines = new Lines(sink);
  switch (flags.do) {
    case 'tokens':
      await listTokensOf(flags, run, lines);
      break;
    case 'tree':
      lines.add(await drawTreeOf(run));
      break;
    case 'token-tree':
      lines.add(await drawTokens(flags, run));
      break;
    case 'diff':
      await listDiff(flags, run, lines);
      break;
    default:
      await listPaths(flags, run, lines);
  }
  lines.flush();
}

async function pathsOf({ plan, options }: ListedRun): Promise<readonly string[]> {
  const paths: string[] = [];
  await listFiles(plan, options, { take: ({ path }) => void paths.push(path) });
  return paths;
}

async function drawTreeOf(run: ListedRun): Promise<string> {
  const { drawTree } = await import('@jinn/context/head');
  return drawTree(await pathsOf(run));
}

async function drawTokens(flags: Flags, { plan, options, reporter }: ListedRun): Promise<string> {
  const { listTokens } = await import('@jinn/context/token-list');
  const { drawTokenTree } = await import('@jinn/context/token-tree');
  const files: { path: string; tokens: number }[] = [];
  const counting = { ...options, counter: await counterOf(flags), onFile: reporter.progress };
  await listTokens(plan, counting, (path, tokens) => void files.push({ path, tokens }));
  return files.length === 0 ? '' : drawTokenTree(files);
}

async function listDiff({ secrets }: Flags, run: ListedRun, lines: Lines): Promise<void> {
  const { SecretWatch } = await import('@jinn/context/secret-watch');
  const watch = new SecretWatch({ mode: secrets, warn: run.options.warn });
  const sections = (await run.changes.sections?.(await pathsOf(run))) ?? [];
  const shown = sections.map((section) => watch.withoutSecrets(section));
  for (const section of shown) watch.warnOfSection(section, { all: true });
  watch.check();
  for (const { text } of shown) lines.add(text);
}

async function listTokensOf(flags: Flags, { plan, options, reporter }: ListedRun, lines: Lines): Promise<void> {
  const { listTokens } = await import('@jinn/context/token-list');
  const counting = { ...options, counter: await counterOf(flags), onFile: reporter.progress };
  if (flags.format === 'json') {
    const files: { path: string; tokens: number }[] = [];
    const total = await listTokens(plan, counting, (path, tokens) => void files.push({ path, tokens }));
    lines.add(JSON.stringify({ files, total }));
    return;
  }
  const total = await listTokens(plan, counting, (path, tokens) => lines.add(`${showPath(path)}: ${tokens} tokens`));
  lines.add('---');
  lines.add(`Total: ${total} tokens`);
}

async function listPaths({ sizes, format, sort }: Flags, run: ListedRun, lines: Lines): Promise<void> {
  const show = ({ path, size }: ListedFile) => (sizes ? `${size}\t${showPath(path)}` : showPath(path));
  const options = { ...run.options, sizes };
  if (format === 'json' || sort === 'change') {
    const files: ListedFile[] = [];
    await listFiles(run.plan, options, { take: (file) => void files.push(file) });
    const sorted = sort === 'change' ? await sortListed(files, run) : files;
    if (format === 'json') lines.add(JSON.stringify(sizes ? sorted : sorted.map(({ path }) => path)));
    else for (const file of sorted) lines.add(show(file));
    return;
  }
  await listFiles(run.plan, options, {
    take: (file) => lines.add(show(file)),
    takeAll: (prefix, names) => {
      const shown = showPath(prefix);
      lines.add(shown + names.join(`\n${shown}`));
    },
  });
}

async function sortListed(files: readonly ListedFile[], { plan, range, machine }: ListedRun) {
  const { sortByChange } = await import('@jinn/context/sort-by-change');
  const { recentIn } = await import('../range.ts');
  return sortByChange(files, await recentIn(range, plan.outputRoot, machine), plan.outputRoot);
}
