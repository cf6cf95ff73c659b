import { type CollectOptions, chooseLimit } from '@jinn/context';
import { type DumpOptions, dump } from '@jinn/context/dump';
import type { TokenCounter } from '@jinn/context/tokens';
import { dumpOptionsOf } from './dump-options.ts';
import type { Flags } from './flags.ts';
import type { Output } from './output.ts';
import type { Machine } from './program-machine.ts';
import type { Reporter } from './reporter.ts';

type Plan = Parameters<typeof dump>[0];

interface Surroundings {
  readonly machine: Machine;
  readonly reporter: Reporter;
  readonly plan: Plan;
  readonly options: CollectOptions;
  readonly counter: TokenCounter;
  /** What --changed and --diff add. */
  readonly changes: Pick<DumpOptions, 'only' | 'sections'>;
}

/** Writes the document that the flags ask for. Returns how many files it holds. */
export async function writeDocument(
  flags: Flags,
  { machine, reporter, plan, options, counter, changes }: Surroundings,
  sink: Output,
): Promise<number> {
  const asked = await dumpOptionsOf(flags, machine, plan, changes);
  const dumped = await dump(
    plan,
    {
      ...options,
      ...asked,
      sizeLimitMb: chooseLimit(flags.sizeLimitMb, machine.variables['JINNI_MAX_SIZE_MB'], options.warn),
      counter,
      secrets: flags.secrets ?? (sink.leavesTheScreen ? 'warn' : undefined),
      onFile: reporter.progress,
    },
    sink,
  );
  return dumped.files;
}
