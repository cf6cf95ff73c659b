import path from 'node:path';
import { ToolError } from './errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where jinn keeps what is its own; undefined when there is no home. */
export interface Directories {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/**
 * Finds the directories as design section 4 says, from the environment and the user's home. Throws `invalid_args` for a
 * JINN_CONFIG_DIR that is relative: it would lie in whatever directory jinn is started in.
 */
export function findDirectories(env: Variables, home?: string): Directories {
  return { state: findStateDirectory(env, home), cache: findCacheDirectory(env, home) };
}

/** The cache alone, as findDirectories gives it. */
export function findCacheDirectory(env: Variables, home?: string): string | undefined {
  return below(absolute(env['XDG_CACHE_HOME']) ?? below(absolute(home), '.cache'), 'jinn');
}

function findStateDirectory(env: Variables, home?: string): string | undefined {
  const own = env['JINN_CONFIG_DIR'];
  if (own) return below(withHome(own, home), 'jinn');
  return below(absolute(env['XDG_CONFIG_HOME']) ?? below(absolute(home), '.config'), 'jinn');
}

/** Programs that start jinn pass on `~` as it stands in their settings; no shell has replaced it. */
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

/** The XDG Base Directory Specification: paths that are relative are invalid, and passed over. */
function absolute(asked: string | undefined): string | undefined {
  return asked && path.isAbsolute(asked) ? asked : undefined;
}

function below(directory: string | undefined, name: string): string | undefined {
  return directory && `${directory}/${name}`;
}
