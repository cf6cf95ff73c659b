import type { ProjectDirectory } from '../../files/project-directory.ts';
import { commandsByAlias, commandsOf, type DetectFunction, scriptsOf } from '../finding.ts';

const RECIPE = /^@?([A-Za-z_][\w-]*)(?=[ \t:])/;
const ASSIGNMENT = /^(?:export[ \t]+)?[\w-]*(?:[ \t]+[\w-]+)?[ \t]*:=/;
const COLON = /:(?!=)/;
/** A line of a justfile that is neither a recipe nor an assignment. */
const JUST_LINE = /^(?:set|import\??|mod\??|alias|unexport)[ \t]|^[[#]/;
/** The line above a private recipe. */
const PRIVATE = /^\[(?:[^\]]*[ ,])?private\b/;
const TARGETS = /^([A-Za-z0-9_][\w./ \t-]*)::?(?![=:])/;
const MAKE_LINE = /[:=#]|^[ \t]*(?:-?s?include|export|unexport|undefine|vpath|endif|endef|define|else|\$[({])/;
const DEFINE = /^[ \t]*(?:override[ \t]+|export[ \t]+)*define[ \t]/;
const ENDEF = /^[ \t]*endef\b/;
/** The end of a line that continues: a backslash that is not escaped itself. */
const CONTINUED = /(?<!\\)((?:\\\\)*)\\\r?\n/g;
const MAX_LINE = 2_000;
/** The start of a string, or of a comment, in which quotes mean nothing. */
const MARK = /'''|"""|```|['"`#]/g;
const INDENTED = /^[ \t]/;
/** A line that is not blank, not only a comment, and not part of a body. */
const STATEMENT = /^[^\s#]/;

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

/**
 * Returns the lines of a justfile on which a recipe may start. Bodies are omitted and strings are emptied. A string
 * over several lines is put on its first line. Returns all lines unchanged if a string has no end.
 */
function statementsOf(text: string, isRecipe: (line: string) => boolean): string[] {
  const lines = text.split(/\r?\n/);
  const statements: string[] = [];
  let open = '';
  let isBody = false;
  for (const line of lines) {
    if (open === '' && isBody && INDENTED.test(line)) continue;
    const [plain, quote] = emptyStrings(line, open);
    const statement = open === '' ? plain : `${statements.pop()}${plain}`;
    statements.push(statement);
    open = quote;
    if (open === '' && STATEMENT.test(statement)) isBody = isRecipe(statement);
  }
  return open === '' ? statements : lines;
}

function emptyStrings(line: string, open: string): readonly [plain: string, open: string] {
  let plain = '';
  let at = 0;
  let quote = open;
  for (;;) {
    at = quote === '' ? at : endOf(quote, line, at);
    if (at < 0) return [plain, quote];
    MARK.lastIndex = at;
    const mark = MARK.exec(line);
    if (!mark || mark[0] === '#') return [plain + line.slice(at), ''];
    quote = mark[0];
    plain += `${line.slice(at, mark.index)}''`;
    at = mark.index + quote.length;
  }
}

/** Returns the index after the closing quote, or -1 if it is not on the line. Backslashes escape only in double quotes. */
function endOf(quote: string, line: string, from: number): number {
  const escaping = quote.startsWith('"') ? '\\' : undefined;
  for (let at = from; at < line.length; at++) {
    if (line[at] === escaping) at++;
    else if (line.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}
