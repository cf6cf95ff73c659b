import fs from 'node:fs';
import { PROJECT_RUN_FILES, START_FILES } from '../../secrets/run-files.ts';
import type { ChangedFile, MutationContext } from './mutation.ts';

/** Warns which programs run the files that were written, so that nobody overlooks it. */
export function warnOfRunners(ctx: MutationContext, files: readonly ChangedFile[]): void {
  const { root } = ctx.workspace;
  const written = files.filter(({ changed, after }) => changed && after);
  const linked = written.length === 0 ? [] : linkedFiles(root);
  for (const { file } of written) {
    const link = linked.find(({ real }) => `${root}/${file.path}/`.startsWith(`${real}/`));
    const runner = runnerOf(file.path) ?? (link && runnerOf(link.path));
    if (runner === undefined) continue;
    const by = link ? ` by the link ${link.path}` : '';
    ctx.warn(
      `${file.path} is a file that ${runner} runs or takes commands from${by}; tell the person that it was changed`,
    );
  }
}

function runnerOf(path: string): string | undefined {
  return PROJECT_RUN_FILES.runnerOf(path) ?? START_FILES.runnerOf(path);
}

/** Finds the files of the table at the top of the workspace that lie elsewhere, since a link stands on the way to them. */
function linkedFiles(root: string): { path: string; real: string }[] {
  return PROJECT_RUN_FILES.paths.flatMap((path) => {
    if (!fs.existsSync(`${root}/${path}`)) return []; // Throwing and catching an error would take longer.
    try {
      const real = fs.realpathSync.native(`${root}/${path}`);
      return real === `${root}/${path}` ? [] : [{ path, real }];
    } catch {
      return [];
    }
  });
}
