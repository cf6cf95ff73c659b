import { posix } from 'node:path';
import type { NamedEntry } from '@jinn/workspace/walk';
import type { ProjectDirectory } from '../files/project-directory.ts';

const TYPESCRIPT = /\.[cm]?tsx?$/;
const SOURCE = /\.[cm]?[jt]sx?$/;
/** Declarations, configuration and dotfiles, which do not show the language of the other files. */
const SILENT = /^\.|\.(?:d|config|conf|workspace)\.[cm]?[jt]sx?$|^(?:gulp|grunt)file\./i;
/** The usual directories of sources. They decide before any other directory. */
const USUAL = ['src', 'lib', 'app', 'source'];
/** Directories with generated files, or files that do not belong to the project itself. */
const PASSED_OVER = new Set(
  'node_modules vendor dist build out coverage public static assets docs examples fixtures types typings'.split(' '),
);
const MAX_DEPTH = 3;
const MAX_LISTED = 20;

type Language = 'TypeScript' | 'JavaScript';

/** The first directory with source files decides, by most of them. Returns undefined if the listed ones have none. */
export async function sourceLanguage(directory: ProjectDirectory): Promise<Language | undefined> {
  const names = directory.listed.filter(isSearched).map(({ name }) => name);
  const usual = USUAL.filter((name) => names.includes(name));
  const others = names.filter((name) => !usual.includes(name));
  const budget = { left: MAX_LISTED };
  return (
    (await searchBelow(directory, usual, budget)) ??
    languageOf(directory.listed) ??
    (await searchBelow(directory, others, budget))
  );
}

/** Reports whether a directory has sources of its own, directly in it or in a usual directory. */
export function hasSources({ listed }: ProjectDirectory): boolean {
  return (
    languageOf(listed) !== undefined || listed.some(({ name, kind }) => kind === 'directory' && USUAL.includes(name))
  );
}

async function searchBelow(
  directory: ProjectDirectory,
  paths: readonly string[],
  budget: { left: number },
): Promise<Language | undefined> {
  const queue = [...paths];
  for (const path of queue) {
    if (budget.left-- <= 0) return undefined;
    const entries = await directory.listBelow(path);
    const language = languageOf(entries);
    if (language !== undefined) return language;
    if (path.split('/').length >= MAX_DEPTH) continue;
    queue.push(...entries.filter(isSearched).map(({ name }) => posix.join(path, name)));
  }
  return undefined;
}

function languageOf(entries: readonly NamedEntry[]): Language | undefined {
  const sources = entries.filter(({ name, kind }) => kind === 'file' && SOURCE.test(name) && !SILENT.test(name));
  if (sources.length === 0) return undefined;
  const typed = sources.filter(({ name }) => TYPESCRIPT.test(name)).length;
  return 2 * typed >= sources.length ? 'TypeScript' : 'JavaScript';
}

function isSearched({ name, kind }: NamedEntry): boolean {
  return kind === 'directory' && !name.startsWith('.') && !PASSED_OVER.has(name);
}
