const ALWAYS = new Set(['PATH', '?', '#', '$', '!', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO']);
/** Variables that `run_shell` passes on or bash sets (seeds/jinn-security); all others come from the command itself. */
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

/**
 * Says whether a variable still has the value from outside. It may not when its name stands anywhere in the text but
 * after a dollar sign: as what is assigned, read or looped over.
 */
export function isTrusted(name: string, text: string): boolean {
  if (ALWAYS.has(name)) return true;
  if (!PASSED_ON.has(name)) return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1];
    if (before !== '$' && !(before === '{' && text[at - 2] === '$' && text[at + name.length] === '}')) return false;
  }
  return true;
}
