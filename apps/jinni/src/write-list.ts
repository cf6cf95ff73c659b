import { escapePath, type ListedFile, listFiles, type Sink } from '@jinn/context';
import { counterOf, type Flags } from './flags.ts';
import { LineWriter } from './output.ts';
import type { PlannedRun } from './write-document.ts';

/** Writes the list that the flags ask for. */
export async function writeList(flags: Flags, run: PlannedRun, sink: Sink): Promise<undefined> {
  const lines = new LineWriter(sink);
  switch (flags.do) {
    case 'tokens':
      await listTokensOf(flags, run, lines);
      break;
    case 'tree':
      lines.add((await import('@jinn/context/trees')).drawTree(await pathsOf(run)));
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
  return undefined;
}

async function pathsOf({ plan, options }: PlannedRun): Promise<readonly string[]> {
  const paths: string[] = [];
  await listFiles(plan, options, { take: ({ path }) => void paths.push(path) });
  return paths;
}

async function drawTokens(flags: Flags, run: PlannedRun): Promise<string> {
  const { drawTokenTree } = await import('@jinn/context/trees');
  const files: { path: string; tokens: number }[] = [];
  await countEach(flags, run, (path, tokens) => void files.push({ path, tokens }));
  return files.length === 0 ? '' : drawTokenTree(files);
}

async function countEach(
  flags: Flags,
  { plan, options, reporter }: PlannedRun,
  take: (path: string, tokens: number) => void,
): Promise<number> {
  const { listTokens } = await import('@jinn/context/token-list');
  return listTokens(plan, { ...options, counter: await counterOf(flags), onFile: reporter.progress }, take);
}

async function listDiff({ secrets }: Flags, run: PlannedRun, lines: LineWriter): Promise<void> {
  const { SecretWatch } = await import('@jinn/context/secret-watch');
  const watch = new SecretWatch({ mode: secrets, warn: run.options.warn });
  const sections = (await run.sections?.(await pathsOf(run))) ?? [];
  const shown = sections.map((section) => watch.withoutSecrets(section));
  for (const section of shown) watch.warnOfSection(section, { all: true });
  watch.check();
  for (const { text } of shown) lines.add(text);
}

async function listTokensOf(flags: Flags, run: PlannedRun, lines: LineWriter): Promise<void> {
  if (flags.format === 'json') {
    const files: { path: string; tokens: number }[] = [];
    const total = await countEach(flags, run, (path, tokens) => void files.push({ path, tokens }));
    lines.add(JSON.stringify({ files, total }));
    return;
  }
  const total = await countEach(flags, run, (path, tokens) => lines.add(`${escapePath(path)}: ${tokens} tokens`));
  lines.add('---');
  lines.add(`Total: ${total} tokens`);
}

async function listPaths({ sizes, format, sort }: Flags, run: PlannedRun, lines: LineWriter): Promise<void> {
  const show = ({ path, size }: ListedFile) => (sizes ? `${size}\t${escapePath(path)}` : escapePath(path));
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
      const shown = escapePath(prefix);
      lines.add(shown + names.join(`\n${shown}`));
    },
  });
}

async function sortListed(files: readonly ListedFile[], { plan, range }: PlannedRun) {
  const { sortByChange } = await import('@jinn/context/sort-by-change');
  const { recentIn } = await import('./range.ts');
  return sortByChange(files, await recentIn(range, plan.outputRoot), plan.outputRoot);
}
