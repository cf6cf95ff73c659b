import { type CollectOptions, compileGlobs, escapePath, type TargetPlan } from '@jinn/context';
import { type DumpOptions, dump } from '@jinn/context/dump';
import { chooseLimit } from '@jinn/context/size-limit';
import { counterOf, type Flags } from './flags.ts';
import type { Output } from './output.ts';
import { type CommitRange, realPathIn, recentIn } from './range.ts';
import type { Reporter } from './reporter.ts';
import { readNamedFile, variables } from './start/jinni-system.ts';

type Sections = Awaited<ReturnType<NonNullable<DumpOptions['sections']>>>;

/** What a document or a list is made of. */
export interface PlannedRun {
  readonly reporter: Reporter;
  readonly plan: TargetPlan;
  readonly options: CollectOptions;
  readonly sections: DumpOptions['sections'];
  /** What --changed names, if it is a range of commits. */
  readonly range: CommitRange | undefined;
}

/** Writes the document that the flags ask for. Returns how many files it has. */
export async function writeDocument(flags: Flags, run: PlannedRun, sink: Output): Promise<number> {
  const { reporter, plan, options, range } = run;
  const stripper = await openStripper(flags);
  const files = await dump(
    plan,
    {
      ...options,
      format: flags.format,
      lineNumbers: flags.lineNumbers,
      showsEncoding: flags.showsEncoding,
      tree: flags.tree,
      summary: flags.summary,
      maxTokens: flags.maxTokens,
      focus: flags.focus,
      cutsBase64: flags.cutsBase64,
      keepsNotebooks: flags.keepsNotebooks,
      secrets: flags.secrets,
      splitBytes: flags.splitBytes,
      ...levelsOf(flags, plan),
      counter: await counterOf(flags),
      recent: () => recentIn(range, plan.outputRoot),
      sortsByChange: flags.sort === 'change',
      sections: joinSections(
        [...instructions(flags), ...(await logOf(flags, realPathIn(range, plan.outputRoot)))],
        run.sections,
      ),
      strip: stripper?.strip,
      onWritten: sink.summarizes ? (path, tokens) => sink.addFile({ path, tokens }) : undefined,
      onShortened: (path) => reporter.step(`reading the syntax of ${escapePath(path)}`),
      sizeLimitMb: chooseLimit(flags.sizeLimitMb, variables()['JINNI_MAX_SIZE_MB'], options.warn),
      explainBudget: flags.explain ? (lines) => reporter.line(lines.join('\n')) : undefined,
      onFile: reporter.progress,
    },
    sink,
  );
  if (stripper && stripper.untouched.size > 0) options.warn(describeUntouched([...stripper.untouched]));
  return files;
}

/** The last level whose glob matches decides how much of a file is written, or else the other flags. */
function levelsOf(
  { levels, outline, compress }: Flags,
  plan: TargetPlan,
): Pick<DumpOptions, 'isOutlined' | 'compress'> {
  const isOutlined = outline && compileGlobs(outline, '--outline', plan);
  if (levels.length === 0) return { isOutlined, compress };
  const globs = levels.map(({ glob, level }) => ({ matches: compileGlobs([glob], '--level', plan), level }));
  const levelOf = (path: string) => globs.findLast(({ matches }) => matches(path))?.level;
  return {
    isOutlined: (path) => (levelOf(path) ?? (isOutlined?.(path) ? 'outline' : 'whole')) === 'outline',
    compress: (path) => (levelOf(path) ?? (compress ? 'compress' : 'whole')) === 'compress',
  };
}

function joinSections(first: Sections, asked: DumpOptions['sections']): DumpOptions['sections'] {
  return first.length === 0 ? asked : async (paths) => [...first, ...((await asked?.(paths)) ?? [])];
}

function instructions({ headerText, prompt }: Flags): Sections {
  const texts = [headerText, prompt === undefined ? undefined : readNamedFile('prompt', prompt).toString()];
  const text = texts.flatMap((part) => (part === undefined ? [] : [part.trimEnd()])).join('\n\n');
  return text === '' ? [] : [{ title: 'instructions', text }];
}

async function logOf({ gitLog }: Flags, directory: string): Promise<Sections> {
  if (gitLog === undefined) return [];
  const { gitLog: readLog } = await import('@jinn/git/git-log');
  return [{ title: 'git-log', text: await readLog(directory, gitLog, variables()) }];
}

async function openStripper({ removesComments: comments, removesEmptyLines: emptyLines }: Flags) {
  if (!comments && !emptyLines) return undefined;
  return (await import('@jinn/context/strip-source')).openSourceStripper({ comments, emptyLines });
}

const MOST_NAMED = 3;

function describeUntouched(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map(escapePath).join(', ');
  const others = paths.length > MOST_NAMED ? `, and of ${paths.length - MOST_NAMED} more` : '';
  return `nothing was removed of ${named}${others}: there is no syntax tree of them`;
}
