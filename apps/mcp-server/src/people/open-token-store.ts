import { openShared } from './open-shared.ts';
import type { TokenStore } from './run-tokens.ts';
import type { TeamSettings } from './team-settings.ts';

interface TokenPlaces {
  /** The settings of a team, whose database keeps the tokens; undefined if they are in a file. */
  readonly settings: TeamSettings | undefined;
  readonly file: string | undefined;
  /** Where the locks of files are. */
  readonly locks: string | undefined;
}

/** Opens where tokens are kept. Throws an Error for the user if there is no such place. */
export async function openTokenStore({ settings, file, locks }: TokenPlaces): Promise<TokenStore> {
  if (settings === undefined) {
    if (file === undefined) throw new Error('there is no home directory: give --token-file');
    return (await import('./token-file.ts')).tokensInFile(file, locks);
  }
  const shared = await openShared(settings);
  if (shared === undefined) throw new Error('the file of --team has no database to keep tokens in');
  return (await import('./database-tokens.ts')).tokensInDatabase(shared.tokens);
}
