import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  parse as parseToml,
  patch as patchToml,
  stringify as stringifyToml,
  TomlDocument,
} from '@decimalturn/toml-patch';
import { isObject } from '@jinn/core/text';
import { JSONC, parseJsonc } from '@jinn/core/text/jsonc';
import { realPathOf } from '@jinn/workspace';
import { applyEdits, modify, type Node, parseTree } from 'jsonc-parser';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { ConfigMembers, HostKind } from './hosts.ts';

export interface ConfigFile {
  readonly path: string;
  /** True for a file of the project, which may come from anyone. */
  readonly isOfProject: boolean;
  readonly text: string | undefined;
}

/**
 * Reads the first file that exists. If none does, the last one is new. Throws an Error if it cannot be edited without a
 * loss. Security: a project may bring links, so a file of it must be in it.
 */
export function readConfigFile(files: readonly string[], root: string): ConfigFile {
  const named = files.find((file) => statOf(file) !== undefined) ?? files.at(-1) ?? '';
  const isNew = statOf(named) === undefined;
  if (!isNew && !fs.existsSync(named))
    throw new Error(`${named} is a link to nothing: remove it, or create its target`);
  const real = realPathOf(named);
  const isOfProject = named.startsWith(`${root}/`);
  if (isOfProject && !real.startsWith(`${root}/`)) {
    throw new Error(`${named} was left as it is: it is a link out of the project, to ${real}. Remove the link`);
  }
  if (isNew) return { path: real, isOfProject, text: undefined };
  if (!fs.statSync(real).isFile()) throw new Error(`${named} is not a file: remove it, and run this again`);
  return { path: real, isOfProject, text: decode(fs.readFileSync(real), named) };
}

function statOf(file: string): fs.Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

// Other encodings would come back as replacement characters.
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${file} was left as it is: it is not UTF-8. Save it as UTF-8, and run this again`);
  }
}

/** Replaces the file, and returns the name of a copy of its old content. Its mode stays. A new file of the user is private. */
export function replaceConfigFile({ path: file, text: before, isOfProject }: ConfigFile, text: string) {
  const backup = before === undefined ? undefined : keepBackup(file);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mode = before === undefined ? (isOfProject ? 0o644 : 0o600) : fs.statSync(file).mode & 0o777;
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { mode, flag: 'wx' });
  if (before !== undefined) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
  return backup;
}

/** Returns the copies of a file that replaceConfigFile kept, the newest first. */
export function readBackups({ path: file }: ConfigFile): string[] {
  const texts: string[] = [];
  for (let i = 1; fs.existsSync(backupOf(file, i)); i++) texts.unshift(fs.readFileSync(backupOf(file, i), 'utf8'));
  return texts;
}

function backupOf(file: string, i: number): string {
  return i === 1 ? `${file}.bak` : `${file}.bak${i}`;
}

function keepBackup(file: string): string {
  for (let i = 1; ; i++) {
    const backup = backupOf(file, i);
    try {
      fs.copyFileSync(file, backup, fs.constants.COPYFILE_EXCL);
      // The removed text may be a secret.
      fs.chmodSync(backup, fs.statSync(file).mode & 0o600);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const TITLES = { json: 'JSON', toml: 'TOML', yaml: 'YAML' } as const;
const BOM = '\ufeff';
const NAME = 'jinn';
const TOO_DEEP = 'Maximum call stack size exceeded';

type ConfigKind = Pick<HostKind, 'format' | 'key'>;

/** Returns the entry of jinn in a configuration, or undefined if there is none. Throws an Error if the text does not parse. */
export function getEntry(text: string, kind: ConfigKind): ConfigMembers | undefined {
  const entry = serversOf(parse(text, kind), kind)[NAME];
  return isObject(entry) ? entry : undefined;
}

/** Returns the text with the entry set. Comments and order stay. Throws an Error if anything else would change. */
export function setEntry(text: string, kind: ConfigKind, entry: ConfigMembers): string {
  const before = parse(text, kind);
  const servers = serversOf(before, kind);
  const known = servers[NAME];
  if (isDeepStrictEqual(plain(known), plain(entry))) return text;
  const wanted = { ...before, [kind.key]: { ...servers, [NAME]: entry } };
  if (!isObject(known)) return change(text, kind, wanted, [[[], entry]]);
  // New members are set before old ones are removed, so that the entry is never empty.
  const changed = Object.keys({ ...entry, ...known }).filter(
    (key) => !isDeepStrictEqual(plain(known[key]), plain(entry[key])),
  );
  return change(
    text,
    kind,
    wanted,
    changed.map((key) => [[key], entry[key]]),
  );
}

/** Returns the text without the entry. */
export function removeEntry(text: string, kind: ConfigKind): string {
  const before = parse(text, kind);
  const { [NAME]: entry, ...servers } = serversOf(before, kind);
  return entry === undefined ? text : change(text, kind, { ...before, [kind.key]: servers }, [[[], undefined]]);
}

type Change = readonly [path: readonly string[], value: unknown];

function change(text: string, kind: ConfigKind, wanted: ConfigMembers, changes: readonly Change[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const source = text.slice(bom.length);
  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  // Proves that nothing else has changed, whatever a library does with an unusual layout.
  const isRight = (edited: string) =>
    isDeepStrictEqual(comparable(tryParse(edited, kind), kind), comparable(wanted, kind));
  const edited = EDITS[kind.format](source, {
    ...{ wanted, eol, isRight },
    changes: changes.map(([path, value]) => [[kind.key, NAME, ...path], value]),
  });
  if (isRight(edited)) return bom + edited;
  throw new Error('its layout is too unusual to set one entry: write the entry of `--print` yourself');
}

interface Edit {
  readonly wanted: ConfigMembers;
  readonly changes: readonly Change[];
  readonly eol: string;
  isRight(edited: string): boolean;
}

const EDITS: Readonly<Record<HostKind['format'], (text: string, edit: Edit) => string>> = {
  json: (text, { changes, eol }) => {
    const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
    const formatting = { formattingOptions: { insertSpaces: !unit.startsWith('\t'), tabSize: unit.length, eol } };
    // The library would also lay out what is on the same line.
    const isOnLines = text.includes('\n') || /^\s*(\{\s*\})?\s*$/.test(text);
    const edited = changes.reduce((now, [path, value]) => {
      const options = isOnLines && value !== undefined ? formatting : {};
      return applyEdits(now, modify(now, [...path], value, options));
    }, text);
    return text.trim() === '' ? edited.trim() + eol : edited;
  },
  toml: (text, { wanted, changes, eol, isRight }) => {
    const [[path, value] = [[], undefined]] = changes;
    if (path.length > 2) return patchToml(addRows(text, changes, eol), wanted);
    const edited = value === undefined ? cutTables(text, path) : addTable(text, path, value, eol);
    return isRight(edited) ? edited : patchToml(text, wanted);
  },
  yaml: (text, { changes, eol }) => {
    const document = parseDocument(text);
    for (const [path, value] of changes) {
      const [key] = path;
      if (value === undefined) document.deleteIn(path);
      else {
        const servers = document.get(key, true);
        const empty = Object.assign(document.createNode({}), isScalar(servers) && { commentBefore: servers.comment });
        if (!isMap(servers)) document.set(key, empty);
        document.setIn(path, document.createNode(value));
      }
    }
    const indent = /^( +)\S/m.exec(text)?.[1]?.length ?? 2;
    return document
      .toString({ lineWidth: 0, indent, flowCollectionPadding: !/\{\S/.test(text) })
      .replace(/\r?\n/g, eol);
  },
};

// A table at the end reads better than what the library adds, where the file allows it.
function addTable(text: string, path: readonly string[], members: unknown, eol: string): string {
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  const table = `[${path.join('.')}]\n${stringifyToml(members, { inlineTableStart: 0 })}`;
  return text + gap + table.trimEnd().replaceAll('\n', eol) + eol;
}

// The library would take comments with a table that are about the next one.
function cutTables(text: string, path: readonly string[]): string {
  const lines = text.split('\n');
  for (const { start, last } of tablesAt(text, path).toReversed()) {
    const gap = lines[start - 2]?.trim() === '' ? 1 : 0;
    lines.splice(start - 1 - gap, last - start + 1 + gap);
  }
  return lines.join('\n');
}

// The library would add new members after comments that are about the next table.
function addRows(text: string, changes: readonly Change[], eol: string): string {
  const [[path] = [[]]] = changes;
  const [table] = tablesAt(text, path.slice(0, -1));
  if (table === undefined) return text;
  const added = changes.filter(([[, , name = '']]) => !table.names.includes(name));
  const rows = added.flatMap(([[, , name = ''], value]) =>
    value === undefined ? [] : [stringifyToml({ [name]: value }, { inlineTableStart: 0 }).trimEnd() + eol.slice(0, -1)],
  );
  return text
    .split('\n')
    .toSpliced(table.last, 0, ...rows)
    .join('\n');
}

function tablesAt(text: string, path: readonly string[]) {
  return new TomlDocument(text).cst.flatMap((block) => {
    if (!('items' in block) || !path.every((key, i) => block.key.item.value[i] === key)) return [];
    const rows = block.items.filter((item) => 'equals' in item);
    const { start } = block.key.loc;
    const last = (rows.at(-1) ?? block.key).loc.end.line;
    return [{ start: start.line, last, names: rows.map(({ key }) => key.value[0] ?? '') }];
  });
}

const PARSERS: Readonly<Record<HostKind['format'], (text: string) => unknown>> = {
  json: (text) => {
    const value = parseJsonc(text);
    const twice = findDuplicateKey(parseTree(text, [], JSONC));
    if (twice !== undefined) throw new Error(`the key ${JSON.stringify(twice)} is twice in one object`);
    return value;
  },
  toml: (text) => parseToml(text),
  yaml: (text) => {
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault) throw new Error(fault.message);
    return document.toJS();
  },
};

// Hosts and the editor would take another one of two equal keys.
function findDuplicateKey({ type, children = [] }: Partial<Node> = {}): string | undefined {
  const keys = new Set<string>();
  for (const child of children) {
    const key = String(child.children?.[0]?.value);
    if (type === 'object' && keys.has(key)) return key;
    keys.add(key);
    const below = findDuplicateKey(child);
    if (below !== undefined) return below;
  }
  return undefined;
}

function parse(text: string, { format }: ConfigKind): ConfigMembers {
  const source = text.startsWith(BOM) ? text.slice(1) : text;
  if (source.trim() === '') return {};
  let value: unknown;
  try {
    value = PARSERS[format](source);
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

function tryParse(text: string, kind: ConfigKind): ConfigMembers | undefined {
  try {
    return parse(text, kind);
  } catch {
    return undefined;
  }
}

function serversOf(config: ConfigMembers, { format, key }: ConfigKind): ConfigMembers {
  const servers = config[key];
  if (servers === undefined || (servers === null && format === 'yaml')) return {};
  if (isObject(servers)) return servers;
  throw new Error(`its ${key} is not ${format === 'yaml' ? 'a mapping' : 'an object'}`);
}

// Parsers make numbers, dates and prototypes of their own, and JSON has neither.
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member));
  return text === undefined ? undefined : JSON.parse(text);
}

// An empty table of servers is as good as none.
function comparable(config: ConfigMembers | undefined, { key }: ConfigKind): unknown {
  const { [key]: servers, ...rest } = (plain(config) ?? {}) as ConfigMembers;
  const isEmpty = !isObject(servers) || Object.keys(servers).length === 0;
  return config && (isEmpty ? rest : { ...rest, [key]: servers });
}
