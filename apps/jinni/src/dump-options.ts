import { compileGlobs, type planNamedTargets } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import { ToolError } from '@jinn/core/errors';
import type { ChangeOptions } from './changes.ts';
import type { Flags } from './flags.ts';
import type { Machine } from './program-machine.ts';
import { type Range, realPathIn, recentIn } from './range.ts';

type Plan = ReturnType<typeof planNamedTargets>;
type Sections = NonNullable<DumpOptions['sections']>;

interface DumpedRun {
  readonly plan: Plan;
  /** What --changed and --diff add. */
  readonly changes: ChangeOptions;
  readonly range: Range | undefined;
}

/** Makes the options of a document from the flags. Throws ToolError for a prompt that cannot be read. */
export async function dumpOptionsOf(
  flags: Flags,
  machine: Machine,
  { plan, changes, range }: DumpedRun,
): Promise<Omit<DumpOptions, keyof CommonOptions>> {
  const { format, lineNumbers, tree, summary, maxTokens, focus, cutsBase64, keepsNotebooks } = flags;
  const shown = { format, lineNumbers, tree, summary, maxTokens, focus, cutsBase64, keepsNotebooks };
  return {
    ...shown,
    only: changes.only,
    splitBytes: flags.splitBytes,
    ...levelsOf(flags, plan),
    recent: () => recentIn(range, plan.outputRoot, machine),
    sortsByChange: flags.sort === 'change',
    sections: joinSections(
      instructions(flags, machine),
      changes.sections,
      await logOf(flags, machine, realPathIn(range, plan.outputRoot)),
    ),
  };
}

/** Returns how much of each file is written: the last level whose glob matches decides, else the other flags. */
function levelsOf({ levels, outline, compress }: Flags, plan: Plan): Pick<DumpOptions, 'isOutlined' | 'compress'> {
  const isOutlined = outline && compileGlobs(outline, '--outline', plan);
  if (levels.length === 0) return { isOutlined, compress };
  const globs = levels.map(({ glob, level }) => ({ matches: compileGlobs([glob], '--level', plan), level }));
  const levelOf = (path: string) => globs.findLast(({ matches }) => matches(path))?.level;
  return {
    isOutlined: (path) => (levelOf(path) ?? (isOutlined?.(path) ? 'outline' : 'whole')) === 'outline',
    compress: (path) => (levelOf(path) ?? (compress ? 'compress' : 'whole')) === 'compress',
  };
}

/** The options of lists and documents alike. */
type CommonOptions = Pick<DumpOptions, 'counter' | 'warn' | 'checkpoint' | 'sizeLimitMb'>;

function joinSections(
  before: Awaited<ReturnType<Sections>>,
  asked: Sections | undefined,
  after: Awaited<ReturnType<Sections>>,
): Sections | undefined {
  if (before.length === 0 && after.length === 0) return asked;
  return async (paths) => [...before, ...after, ...((await asked?.(paths)) ?? [])];
}

/** Joins the texts of --header-text and --prompt to one section; there is no section without a text. */
function instructions({ headerText, prompt }: Flags, machine: Machine): Awaited<ReturnType<Sections>> {
  const texts = [headerText, prompt === undefined ? undefined : readPrompt(prompt, machine)];
  const text = texts.flatMap((part) => (part === undefined ? [] : [part.trimEnd()])).join('\n\n');
  return text === '' ? [] : [{ title: 'instructions', text }];
}

function readPrompt(path: string, machine: Machine): string {
  try {
    return machine.readFile(path).toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ToolError('file_not_found', `Prompt file not found: ${path}`);
    throw new ToolError('permission_denied', `The prompt file '${path}' cannot be read (${code ?? 'unknown'})`);
  }
}

async function logOf({ gitLog }: Flags, machine: Machine, directory: string): Promise<Awaited<ReturnType<Sections>>> {
  if (gitLog === undefined) return [];
  const { gitLog: readLog } = await import('@jinn/git/git-log');
  return [{ title: 'git-log', text: await readLog(directory, gitLog, machine.variables) }];
}
