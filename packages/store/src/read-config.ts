import fs from 'node:fs';
import { parseStrictJson } from '@jinn/text';

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Returns what config.json in the state directory holds: `{}` if there is none, undefined if it is no object or closed to us. */
export function readConfig(state: string): Readonly<Record<string, unknown>> | undefined {
  const file = `${state}/config.json`;
  try {
    if (!fs.statSync(file, { throwIfNoEntry: false })) return {};
    const value = parseStrictJson(readSmall(file, MAX_CONFIG_BYTES) ?? '');
    return isObject(value) ? value : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? {} : undefined;
  }
}

/** Returns "history" of config.json: undefined if there is none, "require" if nobody can tell. */
export function readHistorySetting(state: string): unknown {
  return (readConfig(state) ?? { history: 'require' })['history'];
}

/** Returns the text of a regular file. Returns undefined for anything else, and for a file above the limit. */
export function readSmall(file: string, most: number): string | undefined {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= most ? fs.readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
