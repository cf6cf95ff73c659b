const ALWAYS = new Set(['PATH', '?', '#', '$', '!', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO']);
/** Variables that `run_shell` passes on or bash sets. All others come from the command itself. */
const PASSED_ON = new Set([
  'HOME',
  'PWD',
  'OLDPWD',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'SHELL',
  'LANG',
  'TERM',
  'TZ',
  'HOSTNAME',
]);
const IS_JOB = /^="?\$(?:!|\{!\})"?(?=[\s;&)]|$)/;

/**
 * Reports whether the value of a variable is known: it comes from outside and the command does not name it to set it,
 * or it is only ever set to `$!`, the process that the command started last. Any mention of the name that does not
 * follow a dollar sign counts as setting it.
 */
export function isTrusted(name: string, text: string): boolean {
  if (ALWAYS.has(name)) return true;
  const isJob = !PASSED_ON.has(name);
  if (isJob && !text.includes('$!') && !text.includes('{!}')) return false;
  let jobs = 0;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = at + name.length;
    if (/\w/.test(before) || /\w/.test(text[after] ?? '')) continue; // A part of another name.
    if (before === '$' || (before === '{' && text[at - 2] === '$' && text[after] === '}')) continue;
    if (!isJob || !IS_JOB.test(text.slice(after, after + 8))) return false;
    jobs++;
  }
  return !isJob || jobs > 0;
}
