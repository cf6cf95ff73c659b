import { nearestName, ToolError } from '@jinn/core/errors';
import { isObject, parseStrictJson } from '@jinn/core/text';
import { valueKindOf } from '../flags.ts';
import type { SettingsText } from './settings-file.ts';
import { SETTING_SCHEMAS } from './settings-schema.ts';

interface Settings {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Returns the settings of jinni.config.json or of `[tool.jinni]` in pyproject.toml, as flags that stand before those of
 * the command line. With a profile, its settings come after the others. Throws ToolError for settings that are wrong.
 */
export async function settingsAsFlags(read: SettingsText | undefined, profile: string | undefined): Promise<string[]> {
  const settings = read?.kind === 'json' ? settingsInJson(read.content) : read && (await settingsInToml(read.content));
  if (!settings) {
    if (profile === undefined) return [];
    throw new ToolError('file_not_found', `there is no jinni.config.json here that has the profile ${profile}`);
  }
  const { profiles, ...own } = settings.values;
  const flags = toFlags(own, settings.file);
  return profile === undefined
    ? flags
    : [...flags, ...toFlags(profileOf(profiles, profile, settings.file), settings.file)];
}

function profileOf(profiles: unknown, name: string, file: string): Readonly<Record<string, unknown>> {
  const known = isObject(profiles) ? profiles : {};
  const profile = Object.hasOwn(known, name) ? known[name] : undefined;
  if (isObject(profile)) return profile;
  const names = Object.keys(known);
  throw new ToolError('invalid_args', `${file} has no profile ${name}`, {
    suggestion: names.length > 0 ? `it has ${names.join(', ')}` : 'put it under "profiles"',
  });
}

function settingsInJson(content: Buffer): Settings {
  let values: unknown;
  try {
    values = parseStrictJson(content);
  } catch (cause) {
    throw wrongFile((cause as Error).message, cause);
  }
  if (isObject(values)) return { file: 'jinni.config.json', values };
  throw wrongFile('it must hold an object');
}

function wrongFile(what: string, cause?: unknown): ToolError {
  return new ToolError('invalid_args', `jinni.config.json: ${what}`, {
    suggestion: 'fix it, or ignore it with --ignore-config',
    cause,
  });
}

async function settingsInToml(content: Buffer): Promise<Settings | undefined> {
  const { parseToml } = await import('@jinn/core/text/toml');
  try {
    const { tool } = parseToml(content.toString());
    const values = isObject(tool) ? tool['jinni'] : undefined;
    return isObject(values) ? { file: '[tool.jinni] of pyproject.toml', values } : undefined;
  } catch {
    return undefined; // The tools that the file belongs to report what is wrong with it.
  }
}

function toFlags(values: Readonly<Record<string, unknown>>, file: string): string[] {
  const { $schema, ...settings } = values;
  return Object.entries(settings).flatMap(([key, value]) => {
    const name = key.replace(/_/g, '-').replace(/(?<=[a-z])[A-Z]/g, (char) => `-${char.toLowerCase()}`);
    if (!Object.hasOwn(SETTING_SCHEMAS, name)) throw unknownSetting(key, name, file);
    return name === 'levels' ? levelsOf(value, file) : flagsOf({ key, name, value }, file);
  });
}

function flagsOf({ key, name, value }: { key: string; name: string; value: unknown }, file: string): string[] {
  if (valueKindOf(name) === 'nothing') {
    if (typeof value !== 'boolean') throw wrongValue(key, 'true or false', file);
    return value ? [`--${name}`] : [];
  }
  const list = valueKindOf(name) === 'values' && Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string' || typeof item === 'number')) {
    throw wrongValue(key, valueKindOf(name) === 'values' ? 'a list of strings' : 'a string or a number', file);
  }
  return list.map((item) => `--${name}=${item}`);
}

function levelsOf(levels: unknown, file: string): string[] {
  if (!isObject(levels) || !Object.values(levels).every((level) => typeof level === 'string')) {
    throw wrongValue('levels', 'an object of globs, each with its level', file);
  }
  return Object.entries(levels).map(([glob, level]) => `--level=${glob}:${level}`);
}

function unknownSetting(key: string, name: string, file: string): ToolError {
  const allowed = Object.keys(SETTING_SCHEMAS);
  const nearest = nearestName(name, allowed);
  return new ToolError('invalid_args', `${file} may not set ${JSON.stringify(key)}`, {
    suggestion: nearest === undefined ? `it may set ${allowed.join(', ')}` : `did you mean ${nearest}?`,
  });
}

function wrongValue(key: string, kind: string, file: string): ToolError {
  return new ToolError('invalid_args', `${key} in ${file} must be ${kind}`);
}
