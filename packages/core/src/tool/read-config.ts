import type { StateFiles } from '@jinn/workspace';
import { type ErrorCode, ToolError } from '../errors/index.ts';
import { parseStrictJson } from '../text/index.ts';

const CONFIG = 'config.json';
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/** What config.json holds (docs/config.md). */
export type Config = Readonly<Record<string, unknown>>;

/**
 * Reads config.json in the state directory; `{}` if there is none. Throws a ToolError that names the fault if it cannot be read
 * or understood, and each caller decides what cannot be done then.
 */
export function readConfig(state: StateFiles): Config {
  const bytes = state.read(CONFIG, { maxBytes: MAX_CONFIG_BYTES });
  const value = bytes ? parseConfig(bytes) : {};
  if (isConfig(value)) return value;
  throw new ToolError('invalid_args', `${CONFIG}: it must hold an object`);
}

/** Makes the error for what cannot be done because of the settings; `effect` is a clause about that. */
export function toConfigError(code: ErrorCode, fault: Error, effect = ''): ToolError {
  return new ToolError(code, `the settings of jinn are at fault${effect}: ${fault.message}`, {
    suggestion: 'ask the user to mend config.json in the configuration directory of jinn (docs/config.md)',
    cause: fault,
  });
}

function parseConfig(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    throw new ToolError('invalid_args', `${CONFIG}: ${(cause as Error).message}`, { cause });
  }
}

function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
