import fs from 'node:fs';
import path from 'node:path';
import { createLocks, realPathOf } from '@jinn/workspace';
import { parseTokens, readTokens, type Token, type TokenStore, toTokenLine } from './bearer-tokens.ts';

const PRIVATE = 0o600;
const MAX_WAIT_MS = 2_000;

export interface TokenSource {
  current(): readonly Token[];
  known(): readonly Token[];
}

interface TokenFileWatcher {
  onFailure(error: unknown): void;
  /** Gets each token that counts from now on, or no longer. */
  onChange(change: 'added' | 'removed', token: Token): void;
}

/** Reads a file of tokens whenever it changes. Throws what is wrong at first. Later, an unreadable file leaves the tokens as they were. */
export function openTokenFile(file: string, { onFailure, onChange }: TokenFileWatcher): TokenSource {
  let seen = signatureOf(file);
  let tokens = parseTokens(fs.readFileSync(file, 'utf8'));
  return {
    known: () => tokens,
    current: () => {
      const before = seen;
      try {
        seen = signatureOf(file);
        if (seen === before) return tokens;
        const read = readTokens(seen === undefined ? '' : fs.readFileSync(file, 'utf8'));
        for (const fault of read.faults) onFailure(new Error(`${file}: ${fault}`));
        for (const token of without(tokens, read.tokens)) onChange('removed', token);
        for (const token of without(read.tokens, tokens)) onChange('added', token);
        tokens = read.tokens;
      } catch (error) {
        seen = before;
        onFailure(new Error(`the tokens stay as they were: ${file}: ${(error as Error).message}`));
      }
      return tokens;
    },
  };
}

/** Keeps tokens in a file, which the first one creates. `locks` is the directory of the locks of files. */
export function tokensInFile(file: string, locks: string | undefined): TokenStore {
  const read = () => readTokens(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
  return {
    list: async () => read().tokens,
    faults: () => read().faults,
    add: async (token) => {
      if (read().tokens[0]?.person === '')
        throw new Error(`${file} holds one token without a name, and no other can join it`);
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      await changeTokenFile(file, (lines) => [...lines, toTokenLine(token)], locks);
    },
    remove: async (tokens) => {
      const hashes = new Set(tokens.map(({ hash }) => hash));
      const stays = (line: string) => !hashes.has(readTokens(line).tokens[0]?.hash ?? '');
      return -(await changeTokenFile(file, (lines) => lines.filter(stays), locks));
    },
  };
}

async function changeTokenFile(
  file: string,
  change: (lines: readonly string[]) => readonly string[],
  locks: string | undefined,
): Promise<number> {
  const target = realPathOf(file);
  const clean = (id: string) => fs.rmSync(`${target}.${id}`, { force: true });
  const request = { path: target, asked: file, clean };
  const lock = (await createLocks(locks, MAX_WAIT_MS).acquire([request], async () => undefined)).get(target);
  if (lock === undefined) throw new Error('a lock that is held is there');
  const next = `${target}.${lock.id}`;
  try {
    const seen = signatureOf(target);
    const before = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : '';
    const known = before.split('\n').filter((line, i, all) => line !== '' || i < all.length - 1);
    const lines = change(known);
    fs.writeFileSync(next, lines.map((line) => `${line}\n`).join(''), { mode: PRIVATE, flag: 'wx', flush: true });
    // The locks are those of one user.
    if (signatureOf(target) !== seen) throw new Error(`${file} was changed meanwhile: run this again`);
    fs.renameSync(next, target);
    return lines.length - known.length;
  } catch (error) {
    clean(lock.id);
    throw error;
  } finally {
    lock.release();
  }
}

function without(tokens: readonly Token[], others: readonly Token[]): readonly Token[] {
  const lines = new Set(others.map(toTokenLine));
  return tokens.filter((token) => !lines.has(toTokenLine(token)));
}

function signatureOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
