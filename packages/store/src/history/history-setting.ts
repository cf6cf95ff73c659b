import { createStateFiles } from '@jinn/guard';
import { readConfig } from '@jinn/tool/read-config';

/** Returns "history" of config.json in the state directory: undefined if there is none, "require" if nobody can tell. */
export function readHistorySetting(directory: string | undefined): unknown {
  try {
    return readConfig(createStateFiles(directory))['history'];
  } catch {
    return 'require';
  }
}
