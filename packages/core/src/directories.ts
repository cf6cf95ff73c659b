import path from 'node:path';
import { ToolError } from './errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The directories of jinn's own files; undefined if there is no home. */
export interface Directories {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/**
 * Finds the directories by the environment and the user's home. The state is in `jinn` below JINN_CONFIG_DIR, or else
 * XDG_CONFIG_HOME, or else `~/.config`; the cache is in `jinn` below XDG_CACHE_HOME, or else `~/.cache`. Throws
 * `invalid_args` for a relative JINN_CONFIG_DIR: it would depend on the directory that jinn is started in.
 */
export function findDirectories(env: Variables, home?: string): Directories {
  return { state: findStateDirectory(env, home), cache: findCacheDirectory(env, home) };
}

/** The cache directory of findDirectories. */
export function findCacheDirectory(env: Variables, home?: string): string | undefined {
  return below(absolute(env['XDG_CACHE_HOME']) ?? below(absolute(home), '.cache'), 'jinn');
}

function findStateDirectory(env: Variables, home?: string): string | undefined {
  const own = env['JINN_CONFIG_DIR'];
  if (own) return below(withHome(own, home), 'jinn');
  return below(absolute(env['XDG_CONFIG_HOME']) ?? below(absolute(home), '.config'), 'jinn');
}

/** Replaces `~`. Hosts pass it on from their settings, where no shell replaces it. */
function withHome(asked: string, home: string | undefined): string {
  const isBelowHome = asked === '~' || asked.startsWith('~/');
  const found = absolute(isBelowHome && home ? `${home}${asked.slice(1)}` : asked);
  if (found !== undefined) return found;
  throw new ToolError(
    'invalid_args',
    `JINN_CONFIG_DIR is not an absolute path: ${JSON.stringify(asked.slice(0, 200))}`,
    {
      suggestion: 'set it to a path that begins with / or ~/, or unset it for ~/.config',
    },
  );
}

/** Ignores relative paths, which are invalid by the XDG Base Directory Specification. */
function absolute(asked: string | undefined): string | undefined {
  return asked && path.isAbsolute(asked) ? asked : undefined;
}

function below(directory: string | undefined, name: string): string | undefined {
  return directory && `${directory}/${name}`;
}
