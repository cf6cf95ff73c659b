import { type Commands, commandsFor, type Detect } from './finding.ts';

const RECIPE = /^@?([A-Za-z_][\w-]*)(?=[ \t:])/;
const ASSIGNMENT = /^(?:export[ \t]+)?[\w-]*(?:[ \t]+[\w-]+)?[ \t]*:=/;
const COLON = /:(?!=)/;
const TARGETS = /^([A-Za-z0-9_][\w./ \t-]*):(?![=:])/;
const MAX_LINE = 2_000;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const JUSTFILES = ['justfile', 'Justfile', '.justfile'];
const TASKFILES = ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'];

/** make, with the targets of its file. */
export const detectMake: Detect = async (directory) => {
  const file = directory.find(...MAKEFILES);
  if (file === undefined) return undefined;
  const targets = namesIn(
    directory.text(file),
    (line) =>
      TARGETS.exec(line)?.[1]
        ?.trim()
        .split(/[ \t]+/) ?? [],
  );
  return {
    runners: ['make'],
    scripts: commandsFor('make', targets),
    ...commandsOf('make', targets),
    build: targets.includes('build') ? 'make build' : 'make',
  };
};

/** just: its recipes go before everything else, since they were written to be run. */
export const detectJust: Detect = async (directory) => {
  const file = directory.find(...JUSTFILES);
  if (file === undefined) return undefined;
  const recipes = namesIn(directory.text(file), recipesOf);
  return { runners: ['just'], scripts: commandsFor('just', recipes), overrides: commandsOf('just', recipes) };
};

/** task, with the tasks of its file. */
export const detectTask: Detect = async (directory) => {
  const file = directory.find(...TASKFILES);
  if (file === undefined) return undefined;
  const tasks = (await directory.yaml(file)).table('tasks').keys();
  return {
    runners: ['task'],
    scripts: commandsFor('task', tasks),
    ...commandsOf('task', tasks),
    build: tasks.includes('build') ? 'task build' : 'task',
  };
};

function commandsOf(run: string, names: readonly string[]): Commands {
  const command = (name: string) => (names.includes(name) ? `${run} ${name}` : undefined);
  return { build: command('build'), test: command('test'), lint: command('lint') };
}

/** The name in a line such as `test filter="": build`; those with an underscore in front are private. */
function recipesOf(line: string): string[] {
  const [, name = '_'] = RECIPE.exec(line) ?? [];
  return name.startsWith('_') || ASSIGNMENT.test(line) || !COLON.test(line) ? [] : [name];
}

/** Each name once, in the order of the lines. */
function namesIn(text: string | undefined, namesOf: (line: string) => readonly string[]): string[] {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => line.length <= MAX_LINE);
  return [...new Set(lines.flatMap(namesOf))];
}
