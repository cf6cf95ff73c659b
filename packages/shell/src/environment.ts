import type { Environment } from '@jinn/tool';

/** The only environment variables of jinn that a command gets. */
const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SHELL'];

export function scrubEnvironment(environment: Environment): Record<string, string> {
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
/** The most variables that are named. */
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
