import { join } from 'node:path';
import { exists, readTreeFile, workingDirectory } from '../start/jinni-system.ts';

const MAX_BYTES = 256 * 1024;

export interface SettingsText {
  readonly kind: 'json' | 'toml';
  readonly content: Buffer;
}

/** Reads jinni.config.json, or else a pyproject.toml that mentions jinni, or undefined where there is neither. */
export function readSettingsFile(): SettingsText | undefined {
  const json = read('jinni.config.json');
  if (json !== undefined) return { kind: 'json', content: json };
  const toml = read('pyproject.toml');
  return toml?.includes('tool.jinni') ? { kind: 'toml', content: toml } : undefined;
}

function read(name: string): Buffer | undefined {
  const path = join(workingDirectory(), name);
  return exists(path) ? readTreeFile(path, MAX_BYTES) : undefined;
}
