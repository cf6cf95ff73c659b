import fs from 'node:fs';
import { parseTokens, type Token } from './bearer-tokens.ts';

const PRIVATE = 0o600;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/** Tokens that may change while the server runs. */
export interface TokenSource {
  current(): readonly Token[];
}

/**
 * Reads a file of tokens, and again whenever it has changed. Throws what is wrong with it at first. Later, one that cannot be
 * read leaves the tokens as they were, and one that is gone leaves none.
 */
export function openTokenFile(file: string, onFailure: (error: unknown) => void): TokenSource {
  let seen = signatureOf(file);
  let tokens = parseTokens(fs.readFileSync(file, 'utf8'));
  return {
    current: () => {
      const found = signatureOf(file);
      if (found === seen) return tokens;
      seen = found;
      try {
        tokens = found === undefined ? [] : parseTokens(fs.readFileSync(file, 'utf8'));
      } catch (error) {
        onFailure(new Error(`the tokens stay as they were: ${file}: ${(error as Error).message}`));
      }
      return tokens;
    },
  };
}

/** Changes the lines of a file of tokens, which it makes if it is missing. Nobody sees it half written. */
export async function changeTokenFile(file: string, change: (lines: readonly string[]) => readonly string[]) {
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
  const next = `${target}.new`;
  const fd = await openAlone(next);
  try {
    const before = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : '';
    const lines = change(before.split('\n').filter((line, i, all) => line !== '' || i < all.length - 1));
    fs.writeSync(fd, lines.map((line) => `${line}\n`).join(''));
    fs.fsyncSync(fd);
    fs.renameSync(next, target);
  } catch (error) {
    fs.rmSync(next, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** Opens the file that becomes the next one. Who has it is the only one that changes the tokens. */
async function openAlone(next: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return fs.openSync(next, 'wx', PRIVATE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (attempt === LOCK_TRIES) throw new Error(`something else changes the tokens; if nothing does, remove ${next}`);
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}

function signatureOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
