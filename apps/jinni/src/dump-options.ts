import { compileGlobs, type planNamedTargets } from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import { ToolError } from '@jinn/errors';
import type { Flags } from './flags.ts';
import type { Machine } from './program-machine.ts';

type Plan = ReturnType<typeof planNamedTargets>;
type Sections = NonNullable<DumpOptions['sections']>;

/**
 * Makes the options of a document from the flags; `changes` is what --changed and --diff add to it. Throws ToolError
 * for a prompt that cannot be read.
 */
export async function dumpOptionsOf(
  flags: Flags,
  machine: Machine,
  plan: Plan,
  changes: Pick<DumpOptions, 'only' | 'sections'>,
): Promise<Omit<DumpOptions, keyof CommonOptions>> {
  const { format, lineNumbers, tree, summary, maxTokens, compress, outline, cutsBase64, keepsNotebooks } = flags;
  const shown = { format, lineNumbers, tree, summary, maxTokens, compress, cutsBase64, keepsNotebooks };
  return {
    ...shown,
    only: changes.only,
    splitBytes: flags.splitBytes,
    isOutlined: outline ? compileGlobs(outline, '--outline') : undefined,
    recent: async () => (await import('@jinn/git/git-log')).recentChanges(plan.outputRoot, machine.variables),
    sortsByChange: flags.sort === 'change',
    sections: joinSections(instructions(flags, machine), changes.sections, await logOf(flags, machine, plan)),
  };
}

/** The options that lists have too. */
type CommonOptions = Pick<DumpOptions, 'counter' | 'warn' | 'checkpoint' | 'sizeLimitMb'>;

function joinSections(
  before: Awaited<ReturnType<Sections>>,
  asked: Sections | undefined,
  after: Awaited<ReturnType<Sections>>,
): Sections | undefined {
  if (before.length === 0 && after.length === 0) return asked;
  return async (paths) => [...before, ...after, ...((await asked?.(paths)) ?? [])];
}

/** Returns the texts of --header-text and --prompt as one section; no section if there is no text. */
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

async function logOf({ gitLog }: Flags, machine: Machine, plan: Plan): Promise<Awaited<ReturnType<Sections>>> {
  if (gitLog === undefined) return [];
  const { gitLog: readLog } = await import('@jinn/git/git-log');
  return [{ title: 'git-log', text: await readLog(plan.outputRoot, gitLog, machine.variables) }];
}
