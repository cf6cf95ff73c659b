import type { Environment } from '@jinn/core';

/** The only environment variables of jinn that a command gets. */
const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SHELL'];

/** The editor of commands, since nobody could type into one. It is a command for a shell, and needs no file. */
const NO_EDITOR =
  'sh -c \'echo "no editor can be used here: pass the text by an option, as in git commit -m or --no-edit, or set an editor that needs no terminal in the command" >&2; exit 1\'';
/** Matches a command that sets an editor. Variables would win over some of these. */
const SETS_EDITOR = /\b(?:GIT_EDITOR|EDITOR|VISUAL)=|\bcore\.editor\b/;

/** Returns the variables of a command: those of jinn that it may have, and an editor that fails at once. */
export function environmentOf(command: string, environment: Environment): Record<string, string> {
  const kept = scrubEnvironment(environment);
  if (SETS_EDITOR.test(command)) return kept;
  return { ...kept, GIT_EDITOR: NO_EDITOR, EDITOR: NO_EDITOR, VISUAL: NO_EDITOR };
}

function scrubEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Variables that programs of many projects need, which commands get if jinn has them. */
const USUAL = ['DATABASE_URL', 'JAVA_HOME', 'VIRTUAL_ENV', 'GOPATH', 'NODE_ENV', 'CI'];
/** Variables that bash sets by itself. */
const OF_BASH = ['PWD', 'OLDPWD', 'SHLVL', 'HOSTNAME', 'LINES', 'COLUMNS'];
const MOST_NAMED = 3;

/** Returns the variables that a command does not get although it, or its output, names them. */
export function namedVariables(command: string, output: string, environment: Environment): string[] {
  const used = [...command.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);
  const told = output.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? [];
  const isMissing = (name: string) =>
    ![...ALLOWED, ...OF_BASH].includes(name) &&
    (USUAL.includes(name) || environment[name] !== undefined) &&
    !command.includes(`${name}=`);
  return [...new Set([...used, ...told])].filter(isMissing).slice(0, MOST_NAMED);
}
