import fs from 'node:fs';
import { posix } from 'node:path';
import type { Workspace } from '../../guard/index.ts';
import { openOfUser, readUpTo } from '../read-plainly.ts';

const MAX_CONFIG = 1024 * 1024;
const MAX_INCLUDES = 10;
const SECTION = /^\s*\[\s*([\w.-]+)\s*\]/;
const SETTING = /^(?:\s*\[[^\]]*\])?\s*([a-z][a-z0-9-]*)\s*=\s*(.*)$/i;
/** A value up to a comment. */
const VALUE = /^(?:"(?:[^"\\]|\\.)*"|\\.|[^"#;\\])*/;

/**
 * Finds the user's rules for all repositories: `core.excludesFile` in the user's or the system's git configuration, or
 * else `git/ignore` in the user's configuration directory. Security: the configuration of a repository is not read,
 * since it comes with the tree.
 */
export function findUserExcludes(top: string, variables: Workspace['variables']): string | undefined {
  const { HOME: home, XDG_CONFIG_HOME: xdg, GIT_CONFIG_GLOBAL: only } = variables;
  if (!home) return undefined;
  const own = `${xdg || `${home}/.config`}/git`;
  const files = only === undefined ? [`${own}/config`, `${home}/.gitconfig`] : [only];
  const { GIT_CONFIG_NOSYSTEM: isAlone, GIT_CONFIG_SYSTEM: system = '/etc/gitconfig' } = variables;
  if (isAlone === undefined) files.unshift(system);
  const named = files.flatMap((file) => readExcludesFile(file, home)).at(-1) ?? `${own}/ignore`;
  const path = named && posix.resolve(top, named);
  return path && fs.existsSync(path) ? path : undefined;
}

/** In a file of settings and those that it includes, the last value last. */
function readExcludesFile(file: string, home: string, depth = 0): string[] {
  const text = depth > MAX_INCLUDES || !fs.existsSync(file) ? undefined : readText(file);
  let section = '';
  return (text ?? '')
    .replace(/\\\r?\n/g, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      section = SECTION.exec(line)?.[1]?.toLowerCase() ?? (/^\s*\[/.test(line) ? '' : section);
      const [, key = '', rest = ''] = SETTING.exec(line) ?? [];
      const path = pathOf(rest, home);
      switch (`${section}.${key.toLowerCase()}`) {
        case 'core.excludesfile':
          return [path];
        case 'include.path':
          return readExcludesFile(posix.resolve(posix.dirname(file), path), home, depth + 1);
        default:
          return [];
      }
    });
}

function pathOf(rest: string, home: string): string {
  const [raw = ''] = VALUE.exec(rest) ?? [];
  const value = raw.trim().replace(/\\(.)|"/g, (_, escaped) => escaped ?? '');
  return value.startsWith('~/') ? home + value.slice(1) : value;
}

function readText(file: string): string | undefined {
  try {
    return readUpTo(openOfUser(file), MAX_CONFIG)?.toString();
  } catch {
    return undefined;
  }
}
