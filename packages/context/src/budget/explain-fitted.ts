import { showPath } from '../targets/show-path.ts';
import { isCut, type PlannedFile } from './planned-file.ts';

/** Explains for each file, in the order of rank, its form in the document and why. */
export function explainFitted(
  ranked: readonly PlannedFile[],
  fitted: readonly PlannedFile[],
  reasonOf: (path: string) => string,
): string[] {
  const chosen = new Map(fitted.map((file) => [file.path, file]));
  return ranked.map(({ path, tokens }, i) => {
    const form = formOf(chosen.get(path));
    return `${form} ${showPath(path)}: rank ${i + 1}, ${tokens} tokens; ${reasonOf(path)}`;
  });
}

/** Explains that each file is in the document, when none had to give way to another. */
export function explainWhole(files: readonly PlannedFile[]): string[] {
  return files.map(({ path, tokens }) => `whole ${showPath(path)}: ${tokens} tokens; everything fits`);
}

function formOf(file: PlannedFile | undefined): string {
  if (!file) return 'out';
  if (file.instead?.kind === 'piece') return isCut(file.instead) ? 'cut' : 'end';
  return file.instead?.kind === 'outline' ? 'outlined' : 'whole';
}
