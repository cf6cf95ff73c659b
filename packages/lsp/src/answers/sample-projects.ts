import path from 'node:path';
import type { SourceFiles } from '../documents/source-files.ts';

/** The files that make a project for servers of TypeScript. */
const PROJECT = ['tsconfig.json', 'jsconfig.json'];
const TEST = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/i;

/**
 * Chooses one file of each project, and one of its tests: with these open, a server knows most of the others by itself.
 * Files like the one in question are left out, since their project is loaded.
 */
export function sampleProjects(
  files: readonly string[],
  asked: string,
  { hasAny }: Pick<SourceFiles, 'hasAny'>,
): string[] {
  const projects = new Map<string, string>();
  const projectOf = (directory: string): string => {
    const known = projects.get(directory);
    if (known !== undefined) return known;
    const isOne = directory === '.' || hasAny(directory, PROJECT);
    const project = isOne ? directory : projectOf(path.posix.dirname(directory));
    projects.set(directory, project);
    return project;
  };
  const kindOf = (file: string) => `${TEST.test(file)} ${projectOf(path.posix.dirname(file))}`;
  const known = new Set([kindOf(asked)]);
  return files.filter((file) => {
    const kind = kindOf(file);
    return !known.has(kind) && known.add(kind);
  });
}
