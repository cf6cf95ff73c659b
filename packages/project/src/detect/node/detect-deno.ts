import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsOf, type DetectFunction, type Finding, scriptsOf } from '../finding.ts';
import { frameworksOf, NPM_FRAMEWORKS } from '../frameworks.ts';

const LOCK = 'deno.lock';

/** Detects Deno, with the tasks of its configuration. */
export const detectDeno: DetectFunction = async (directory, { file }) => {
  if (file === LOCK) return byLock(directory);
  const config = await directory.jsonc(file);
  const tasks = config.table('tasks').keys();
  const workspace = config.tableIfAny('workspace');
  const patterns = workspace.has('members') ? workspace.strings('members') : config.strings('workspace');
  const written = commandsOf('deno task', tasks);
  return {
    languages: ['TypeScript'],
    frameworks: frameworksOf(NPM_FRAMEWORKS, config.table('imports').keys()),
    managers: ['deno'],
    scripts: [scriptsOf(file, 'deno task', tasks)],
    build: written.build,
    test: written.test ?? 'deno test',
    lint: written.lint ?? 'deno lint',
    members: [{ patterns, file }],
    name: config.string('name'),
  };
};

/**
 * Detects Deno from its lock file. Deno can also run package.json; then the detector of that file finds the language.
 */
function byLock(directory: ProjectDirectory): Finding {
  return { languages: directory.has('package.json') ? [] : ['TypeScript'], managers: ['deno'] };
}
