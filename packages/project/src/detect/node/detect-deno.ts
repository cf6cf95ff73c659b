import { commandsOf, type DetectFunction, scriptsOf } from '../finding.ts';
import { frameworksOf } from '../frameworks.ts';

const LOCK = 'deno.lock';

/** Detects Deno, with the tasks of its configuration. */
export const detectDeno: DetectFunction = async (directory, { file }) => {
  // Deno can also run package.json. Then the detector of that file finds the language.
  if (file === LOCK) return { languages: directory.has('package.json') ? [] : ['TypeScript'], managers: ['deno'] };
  const config = await directory.jsonc(file);
  const tasks = config.table('tasks').keys();
  const workspace = config.tableIfAny('workspace');
  const patterns = workspace.has('members') ? workspace.strings('members') : config.strings('workspace');
  const written = commandsOf('deno task', tasks);
  return {
    languages: ['TypeScript'],
    frameworks: frameworksOf('npm', config.table('imports').keys()),
    managers: ['deno'],
    scripts: [scriptsOf(file, 'deno task', tasks)],
    build: written.build,
    test: written.test ?? 'deno test',
    lint: written.lint ?? 'deno lint',
    members: [{ patterns, file }],
    name: config.string('name'),
  };
};
