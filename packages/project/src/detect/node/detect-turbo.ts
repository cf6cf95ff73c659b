import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsOf, type Finding, scriptsOf } from '../finding.ts';
import { execWith } from './detect-node-manager.ts';

export const TURBO_FILES = ['turbo.json', 'turbo.jsonc'];

/** Detects turbo, with the tasks that its file names. */
export async function detectTurbo(directory: ProjectDirectory, manager: string): Promise<Finding> {
  const file = directory.find(...TURBO_FILES) ?? 'turbo.json';
  const manifest = await directory.jsonc(file);
  const tasks = manifest.table(manifest.has('tasks') ? 'tasks' : 'pipeline').keys();
  const run = `${execWith(manager)} turbo run`;
  return { runners: ['turbo'], scripts: [scriptsOf(file, run, tasks)], ...commandsOf(run, tasks) };
}
