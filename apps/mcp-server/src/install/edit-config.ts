import { isDeepStrictEqual } from 'node:util';
import { type Editor, isObject, type Members, plain } from './config-editor.ts';
import { jsonEditor } from './edit-json.ts';
import { tomlEditor } from './edit-toml.ts';
import { yamlEditor } from './edit-yaml.ts';
import type { HostKind } from './hosts.ts';

const EDITORS: Readonly<Record<HostKind['format'], Editor>> = { json: jsonEditor, toml: tomlEditor, yaml: yamlEditor };
const TITLES = { json: 'JSON', toml: 'TOML', yaml: 'YAML' } as const;
const BOM = '\ufeff';
const NAME = 'jinn';
const TOO_DEEP = 'Maximum call stack size exceeded';

type Kind = Pick<HostKind, 'format' | 'key'>;

/** Returns the entry of jinn in a configuration; undefined if there is none. Throws an Error if the text does not parse. */
export function getEntry(text: string, kind: Kind): Members | undefined {
  const entry = serversOf(parse(text, kind), kind)[NAME];
  return isObject(entry) ? entry : undefined;
}

/** Returns the text with the entry set. Throws an Error if that is not possible without changing anything else. */
export function setEntry(text: string, kind: Kind, entry: Members): string {
  const before = parse(text, kind);
  const servers = serversOf(before, kind);
  const wanted = { ...before, [kind.key]: { ...servers, [NAME]: entry } };
  const known = servers[NAME];
  if (isDeepStrictEqual(plain(known), plain(entry))) return text;
  const edit = (source: string, eol: string) => {
    const editor = EDITORS[kind.format];
    if (!isObject(known)) return editor.set(source, [kind.key], { name: NAME, value: entry }, eol);
    // New members are set before old ones are removed, so that the entry is never empty.
    return Object.keys({ ...entry, ...known }).reduce((now, key) => {
      if (!Object.hasOwn(entry, key)) return editor.remove(now, [kind.key, NAME], key);
      if (isDeepStrictEqual(plain(known[key]), plain(entry[key]))) return now;
      return editor.set(now, [kind.key, NAME], { name: key, value: entry[key] }, eol);
    }, source);
  };
  return change(text, kind, edit, wanted);
}

/** Returns the text without the entry. */
export function removeEntry(text: string, kind: Kind): string {
  const before = parse(text, kind);
  const { [NAME]: entry, ...servers } = serversOf(before, kind);
  if (entry === undefined) return text;
  const edit = (source: string) => EDITORS[kind.format].remove(source, [kind.key], NAME);
  return change(text, kind, edit, { ...before, [kind.key]: servers });
}

/** Reports whether a text has no setting at all. */
export function isEmptyConfig(text: string, kind: Kind): boolean {
  const config = tryParse(text, kind);
  return config !== undefined && Object.keys(config).length === 0;
}

function change(text: string, kind: Kind, edit: (source: string, eol: string) => string, wanted: Members): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const after = bom + edit(text.slice(bom.length), text.includes('\r\n') ? '\r\n' : '\n');
  const made = tryParse(after, kind);
  // Proves that nothing else has changed, whatever the editor does with an unusual layout.
  if (made && isDeepStrictEqual(withoutEmpty(made, kind), withoutEmpty(wanted, kind))) return after;
  throw new Error('its layout is too unusual to set one entry; write the entry of `--print` yourself');
}

function parse(text: string, { format }: Kind): Members {
  const source = text.startsWith(BOM) ? text.slice(1) : text;
  if (source.trim() === '') return {};
  let value: unknown;
  try {
    value = EDITORS[format].parse(source);
  } catch (error) {
    const { message } = error as Error;
    // The YAML parser reports the failed recursion as a fault of the file.
    if (error instanceof RangeError || message.startsWith(TOO_DEEP)) throw new Error('it is nested too deeply');
    throw new Error(`it is not ${TITLES[format]}: ${message}`);
  }
  if (value === undefined || (value === null && format === 'yaml')) return {};
  if (!isObject(value)) throw new Error(`it is not a ${TITLES[format]} ${format === 'yaml' ? 'mapping' : 'object'}`);
  return value;
}

function tryParse(text: string, kind: Kind): Members | undefined {
  try {
    return parse(text, kind);
  } catch {
    return undefined;
  }
}

function serversOf(config: Members, { format, key }: Kind): Members {
  const servers = config[key];
  // A key without a value is null in YAML.
  if (servers === undefined || (servers === null && format === 'yaml')) return {};
  if (isObject(servers)) return servers;
  throw new Error(`its ${key} is not ${format === 'yaml' ? 'a mapping' : 'an object'}`);
}

/** Returns the config without its table of servers if that is empty, which is as good as none. */
function withoutEmpty(config: Members, { key }: Kind): unknown {
  const { [key]: servers, ...rest } = plain(config) as Members;
  const isEmpty = !isObject(servers) || Object.keys(servers).length === 0;
  return isEmpty ? rest : { ...rest, [key]: servers };
}
