import { type CollectOptions, chooseLimit, showPath } from '@jinn/context';
import { dump } from '@jinn/context/dump';
import type { TokenCounter } from '@jinn/context/tokens';
import type { ChangeOptions } from './changes.ts';
import { dumpOptionsOf } from './dump-options.ts';
import type { Flags } from './flags.ts';
import type { Output } from './output.ts';
import type { Machine } from './program-machine.ts';
import type { Range } from './range.ts';
import type { Reporter } from './reporter.ts';

type Plan = Parameters<typeof dump>[0];

interface Surroundings {
  readonly machine: Machine;
  readonly reporter: Reporter;
  readonly plan: Plan;
  readonly options: CollectOptions;
  readonly counter: TokenCounter;
  /** What --changed and --diff add. */
  readonly changes: ChangeOptions;
  readonly range: Range | undefined;
}

/** Writes the document that the flags ask for. Returns how many files it holds. */
export async function writeDocument(
  flags: Flags,
  { machine, reporter, plan, options, counter, changes, range }: Surroundings,
  sink: Output,
): Promise<number> {
  const asked = await dumpOptionsOf(flags, machine, { plan, changes, range });
  const stripper = await stripperOf(flags);
  const dumped = await dump(
    plan,
    {
      ...options,
      ...asked,
      strip: stripper?.strip,
      onWritten: sink.summarizes ? (path, tokens) => sink.addFile({ path, tokens }) : undefined,
      onShortened: (path) => reporter.step(`reading the syntax of ${showPath(path)}`),
      sizeLimitMb: chooseLimit(flags.sizeLimitMb, machine.variables['JINNI_MAX_SIZE_MB'], options.warn),
      counter,
      explainBudget: flags.explain ? (lines) => reporter.line(lines.join('\n')) : undefined,
      secrets: flags.secrets,
      onFile: reporter.progress,
    },
    sink,
  );
  if (stripper && stripper.untouched.size > 0) options.warn(describeUntouched([...stripper.untouched]));
  return dumped.files;
}

async function stripperOf({ removesComments: comments, removesEmptyLines: emptyLines }: Flags) {
  if (!comments && !emptyLines) return undefined;
  const { openSourceStripper } = await import('@jinn/context/strip-source');
  return openSourceStripper({ comments, emptyLines });
}

const MOST_NAMED = 3;

function describeUntouched(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map(showPath).join(', ');
  const others = paths.length > MOST_NAMED ? `, and of ${paths.length - MOST_NAMED} more` : '';
  return `nothing was removed of ${named}${others}: there is no syntax tree of them`;
}
