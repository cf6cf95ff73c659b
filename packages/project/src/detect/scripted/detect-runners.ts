import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsByAlias, commandsOf, type DetectFunction, scriptsOf } from '../finding.ts';
import { statementsOf } from './detect-just-lines.ts';

const RECIPE = /^@?([A-Za-z_][\w-]*)(?=[ \t:])/;
const ASSIGNMENT = /^(?:export[ \t]+)?[\w-]*(?:[ \t]+[\w-]+)?[ \t]*:=/;
const COLON = /:(?!=)/;
/** A line of a justfile that is neither a recipe nor an assignment. */
const JUST_LINE = /^(?:set|import\??|mod\??|alias|unexport)[ \t]|^[[#]/;
/** The line above a private recipe. */
const PRIVATE = /^\[(?:[^\]]*[ ,])?private\b/;
const TARGETS = /^([A-Za-z0-9_][\w./ \t-]*)::?(?![=:])/;
/** A rule, an assignment, a comment, a directive, or a call of a function. */
const MAKE_LINE = /[:=#]|^[ \t]*(?:-?s?include|export|unexport|undefine|vpath|endif|endef|define|else|\$[({])/;
const DEFINE = /^[ \t]*(?:override[ \t]+|export[ \t]+)*define[ \t]/;
const ENDEF = /^[ \t]*endef\b/;
/** The end of a line that goes on: a backslash that is not escaped itself. */
const CONTINUED = /(?<!\\)((?:\\\\)*)\\\r?\n/g;
const MAX_LINE = 2_000;

/** Detects make, with the targets of its file. */
export const detectMake: DetectFunction = async (directory, { file }) => {
  const lines = withoutDefinitions(linesOf(directory, file, splitMakefile, (line) => MAKE_LINE.test(line)));
  const targets = unique(
    lines.flatMap(
      (line) =>
        TARGETS.exec(line)?.[1]
          ?.trim()
          .split(/[ \t]+/) ?? [],
    ),
  );
  return {
    runners: ['make'],
    scripts: [scriptsOf(file, 'make', targets)],
    tasks: commandsByAlias('make', targets),
    guesses: { build: 'make' },
  };
};

/** Detects just. Its recipes take precedence over everything else, since they were written to be run. */
export const detectJust: DetectFunction = async (directory, { file }) => {
  const split = (text: string) => statementsOf(text, isRecipe);
  const lines = linesOf(directory, file, split, isJust).filter((_, i, all) => !PRIVATE.test(all[i - 1] ?? ''));
  const runnable = unique(lines.filter((line) => !needsArguments(line)).flatMap(recipesOf));
  return {
    runners: ['just'],
    scripts: [scriptsOf(file, 'just', unique(lines.flatMap(recipesOf)))],
    overrides: commandsOf('just', runnable),
  };
};

/** Reports whether a recipe has a parameter without a default, such as `test file:`. */
function needsArguments(line: string): boolean {
  const [, ...parameters] = line
    .slice(0, line.search(COLON))
    .trim()
    .split(/[ \t]+/);
  return parameters.some((parameter) => !parameter.startsWith('*') && !parameter.includes('='));
}

/** Detects task, with the tasks of its file that are not internal. */
export const detectTask: DetectFunction = async (directory, { file }) => {
  const table = (await directory.yaml(file)).table('tasks');
  const tasks = table.keys().filter((task) => !table.tableIfAny(task).is(true, 'internal'));
  return {
    runners: ['task'],
    scripts: [scriptsOf(file, 'task', tasks)],
    tasks: commandsByAlias('task', tasks),
    guesses: { build: 'task' },
  };
};

/** Detects mise if its file has tasks, with those that are not hidden. */
export const detectMise: DetectFunction = async (directory, { file }) => {
  const table = (await directory.toml(file)).table('tasks');
  const tasks = table.keys().filter((task) => !table.tableIfAny(task).is(true, 'hide'));
  if (tasks.length === 0) return undefined;
  return {
    runners: ['mise'],
    scripts: [scriptsOf(file, 'mise run', tasks)],
    tasks: commandsByAlias('mise run', tasks),
  };
};

/**
 * Returns the name in a line such as `test filter="": build`; undefined if it is private (begins with an underscore).
 */
function recipesOf(line: string): string[] {
  const [, name = '_'] = RECIPE.exec(line) ?? [];
  return name.startsWith('_') || !isRecipe(line) ? [] : [name];
}

function isRecipe(line: string): boolean {
  return RECIPE.test(line) && COLON.test(line) && !ASSIGNMENT.test(line);
}

function isJust(line: string): boolean {
  return JUST_LINE.test(line) || ASSIGNMENT.test(line) || isRecipe(line);
}

/** Leaves out the bodies of definitions: they are text that may look like rules. */
function withoutDefinitions(lines: readonly string[]): string[] {
  let depth = 0;
  return lines.filter((line) => {
    if (DEFINE.test(line)) depth++;
    else if (depth > 0 && ENDEF.test(line)) depth--;
    return depth === 0;
  });
}

function splitMakefile(text: string): string[] {
  return text.replace(CONTINUED, '$1 ').split(/\r?\n/);
}

/** Returns the lines of a file; long ones are cut. Warns if the file has text but no line that the runner knows. */
function linesOf(
  directory: ProjectDirectory,
  file: string,
  split: (text: string) => string[],
  isKnown: (line: string) => boolean,
): string[] {
  const text = directory.text(file) ?? '';
  const lines = split(text).map((line) => line.slice(0, MAX_LINE));
  if (text.trim() !== '' && !lines.some(isKnown)) directory.warn(file, 'nothing in it is a rule or a setting');
  return lines;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
