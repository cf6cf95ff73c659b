import { PROJECT_RUN_FILES, START_FILES } from '@jinn/secrets/run-files';
import type { ChangedFile, MutationContext } from './mutation.ts';

/** Warns which programs run the files that were written, so that nobody overlooks it. */
export function warnOfRunners(ctx: MutationContext, files: readonly ChangedFile[]): void {
  for (const { changed, after, file } of files) {
    const runner = changed && after ? runnerOf(file.path) : undefined;
    if (runner === undefined) continue;
    ctx.warn(`${file.path} is a file that ${runner} runs or takes commands from; tell the person that it was changed`);
  }
}

function runnerOf(path: string): string | undefined {
  return PROJECT_RUN_FILES.runnerOf(path) ?? START_FILES.runnerOf(path);
}
