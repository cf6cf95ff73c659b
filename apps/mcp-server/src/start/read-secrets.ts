import fs from 'node:fs';
import { warningOf, whyNotTaken } from '../named-file.ts';
import { UsageError } from './usage-error.ts';

/** The variable with the tokens of the people. */
export const TOKEN = 'JINN_MCP_TOKEN';
export const APPROVAL_KEY = 'JINN_MCP_APPROVAL_KEY';

/** Returns the key that seals approvals, from the file or the environment; undefined if there is none. */
export function findApprovalKey(file: string | undefined): string | undefined {
  const key = file === undefined ? process.env[APPROVAL_KEY] : readSecret(file, '--approval-key-file');
  if (key === undefined || /^[\w.~+/=-]{16,}$/.test(key)) return key;
  throw new UsageError(
    `${file === undefined ? APPROVAL_KEY : '--approval-key-file'}: what it holds has 16 or more letters, digits and ._~+/=-`,
  );
}

/** Reads a file with a secret, and warns if it is open to other users. */
function readSecret(file: string, flag: string): string {
  try {
    const text = fs.readFileSync(file, 'utf8').trim();
    const warning = warningOf(file);
    if (warning) process.stderr.write(`jinn-mcp: ${flag}: ${warning}\n`);
    return text;
  } catch (error) {
    throw new UsageError(`${flag}: ${whyNotTaken(file, error)}`);
  }
}
