import type { SharedDatabase } from '@jinn/store/postgres';
import type { TokenStore } from './run-tokens.ts';

interface TokenPlaces {
  /** True if the database of a team keeps the tokens. */
  readonly isForTeam: boolean;
  readonly shared: SharedDatabase | undefined;
  readonly file: string | undefined;
  /** Where the locks of files are. */
  readonly locks: string | undefined;
}

/** Opens where tokens are kept. Throws an Error for the user if there is no such place. */
export async function openTokenStore({ isForTeam, shared, file, locks }: TokenPlaces): Promise<TokenStore> {
  if (!isForTeam) {
    if (file === undefined) throw new Error('there is no home directory: give --token-file');
    return (await import('./token-file.ts')).tokensInFile(file, locks);
  }
  if (shared === undefined) throw new Error('the file of --team has no database to keep tokens in');
  return (await import('./database-tokens.ts')).tokensInDatabase(shared.tokens);
}
