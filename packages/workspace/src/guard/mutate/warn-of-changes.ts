import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { PROJECT_RUN_FILES, START_FILES } from '../../secrets/run-files.ts';
import type { ChangedFile, MutationContext } from './mutation.ts';

const HEAD_BYTES = 8_192;
const MARKS_OF_UTF16 = [0xfffe, 0xfeff];
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/gu;

/** Warns of what a user may overlook in written files: a program runs them, or their encoding is mixed now. */
export function warnOfChanges(ctx: MutationContext, files: readonly ChangedFile[]): void {
  warnOfRunners(ctx, files);
  warnOfEncoding(ctx, files);
}

function warnOfRunners(ctx: MutationContext, files: readonly ChangedFile[]): void {
  const { root } = ctx.workspace;
  const written = files.filter(({ changed, after }) => changed && after);
  const linked = written.length === 0 ? [] : linkedFiles(root);
  for (const { file } of written) {
    const link = linked.find(({ real }) => `${root}/${file.path}/`.startsWith(`${real}/`));
    const runner = runnerOf(file.path) ?? (link && runnerOf(link.path));
    if (runner === undefined) continue;
    const by = link ? ` by the link ${link.path}` : '';
    ctx.warn(
      `${file.path} is a file that ${runner} runs or takes commands from${by}: tell the user that it was changed`,
    );
  }
}

function runnerOf(path: string): string | undefined {
  return PROJECT_RUN_FILES.runnerOf(path) ?? START_FILES.runnerOf(path);
}

/** A link may be on the way to files of the table at the top of the workspace. */
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

function warnOfEncoding(ctx: MutationContext, files: readonly ChangedFile[]): void {
  for (const { changed, after, file } of files) {
    if (!changed || !after || !file.content || isUtf8(file.content) || isUtf8(after) || !isText(file.content)) continue;
    if (countBeyondAscii(after) <= countBeyondAscii(file.content)) continue;
    ctx.warn(
      `${file.path} is not UTF-8, and the new text outside ASCII was written as UTF-8: check that it is readable`,
    );
  }
}

function isText(content: Buffer): boolean {
  const hasMark = content.length > 1 && MARKS_OF_UTF16.includes(content.readUInt16BE());
  return !hasMark && !content.subarray(0, HEAD_BYTES).includes(0);
}

function countBeyondAscii(content: Buffer): number {
  let count = 0;
  for (const _ of content.toString().matchAll(BEYOND_ASCII)) count++;
  return count;
}
