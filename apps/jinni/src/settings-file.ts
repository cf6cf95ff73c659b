import { join } from 'node:path';
import type { Machine } from './program-machine.ts';

const MAX_BYTES = 256 * 1024;

/** A file with settings, before it is parsed. */
export interface SettingsText {
  readonly kind: 'json' | 'toml';
  readonly content: Buffer;
}

/** Reads jinni.config.json, or else a pyproject.toml that mentions jinni; undefined where there is neither. */
export function readSettings(machine: Machine): SettingsText | undefined {
  const json = read(machine, 'jinni.config.json');
  if (json !== undefined) return { kind: 'json', content: json };
  const toml = read(machine, 'pyproject.toml');
  return toml?.includes('tool.jinni') ? { kind: 'toml', content: toml } : undefined;
}

function read(machine: Machine, name: string): Buffer | undefined {
  const path = join(machine.cwd, name);
  return machine.exists(path) ? machine.readSmallFile(path, MAX_BYTES) : undefined;
}
