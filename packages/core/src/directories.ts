/** Where jinn keeps what is its own; undefined when there is no home. */
export interface Directories {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/** Finds the directories as design section 4 says, from the environment and the user's home. */
export function findDirectories(env: Readonly<Record<string, string | undefined>>, home?: string): Directories {
  const config = env['JINN_CONFIG_DIR'] || env['XDG_CONFIG_HOME'] || (home && `${home}/.config`);
  const cache = env['XDG_CACHE_HOME'] || (home && `${home}/.cache`);
  return { state: config ? `${config}/jinn` : undefined, cache: cache ? `${cache}/jinn` : undefined };
}
