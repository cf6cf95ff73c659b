import { lazy, type Outcome, type Registry, type Request, type Surroundings } from '@jinn/core';
import { type Directories, mayRecord } from '@jinn/workspace';
import type { RecordedCaller } from './open-journal.ts';

/** How long a look at whether calls are recorded counts, in seconds. */
const LOOK_AGAIN = 1;

/** A call that may be recorded. */
export type RecordedCall = (request: Request, at: Surroundings, by?: RecordedCaller) => Promise<Outcome>;

/**
 * Wraps the calls of a program so that they are recorded while the user has turned that on. `program` is its name, and how
 * it is called. Nothing of the journal is loaded before.
 */
export function recordCalls(
  call: Registry['call'],
  { directories, program }: { readonly directories: Directories; readonly program: string },
): RecordedCall {
  const { cache } = directories;
  if (cache === undefined) return call;
  let isRecording = false;
  let lookAt = 0;
  const open = lazy(async () => (await import('./open-journal.ts')).openJournal({ cache, program }));
  return (request, at, by = {}) => {
    if (process.uptime() >= lookAt) {
      isRecording = mayRecord(directories);
      lookAt = process.uptime() + LOOK_AGAIN;
    }
    if (!isRecording) return call(request, at);
    return open().then((journal) => journal.record(call, request, at, by));
  };
}
