import type { StateFiles } from '@jinn/workspace';
import { type ErrorCode, ToolError } from '../errors/index.ts';
import { isObject, parseStrictJson } from '../text/index.ts';

const CONFIG = 'config.json';
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

export type Config = Readonly<Record<string, unknown>>;

/** Reads config.json in the state directory. `{}` if there is none. Throws a ToolError that names the fault. */
export function readConfig(state: StateFiles): Config {
  const bytes = state.read(CONFIG, { maxBytes: MAX_CONFIG_BYTES });
  let value: unknown;
  try {
    value = bytes ? parseStrictJson(bytes) : {};
  } catch (cause) {
    throw new ToolError('invalid_args', `${CONFIG}: ${(cause as Error).message}`, { cause });
  }
  if (isObject(value)) return value;
  throw new ToolError('invalid_args', `${CONFIG}: it must hold an object`);
}

/** Makes the error for what cannot be done because of the settings. `effect` is a clause about that. */
export function toConfigError(code: ErrorCode, fault: Error, effect = ''): ToolError {
  return new ToolError(code, `the settings of jinn are at fault${effect}: ${fault.message}`, {
    suggestion: 'ask the user to fix config.json in the configuration directory of jinn (docs/config.md)',
    cause: fault,
  });
}
