import { readConfig } from '@jinn/core/read-config';
import { createStateFiles } from '@jinn/workspace';

/** Returns "history" of config.json in the state directory: undefined if there is none, "require" if nobody can tell. */
export function readHistorySetting(directory: string | undefined): unknown {
  try {
    return readConfig(createStateFiles(directory))['history'];
  } catch {
    return 'require';
  }
}
