import { isDeepStrictEqual } from 'node:util';
import { parse, patch } from '@decimalturn/toml-patch';
import { type Editor, isObject, type Members, plain } from './config-editor.ts';

const BARE_KEY = /^[\w-]+$/;

/** TOML. A new entry is a table at the end of the file; what is there already keeps its form. */
export const tomlEditor: Editor = {
  parse: (text) => parse(text),
  set: (text, path, { name, value }, eol) => {
    const config = parse(text) as Members;
    const wanted = edited(config, path, (members) => ({ ...members, [name]: value }));
    const parent = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), config);
    const isNew = !isObject(parent) || !Object.hasOwn(parent, name);
    const table = isNew && isObject(value) ? appended(text, [...path, name], value, eol) : undefined;
    return (
      table ??
      (isNew ? inserted(text, `${toKey(name)} = ${toToml(value)}`, wanted, eol) : undefined) ??
      patch(text, wanted)
    );
  },
  remove: (text, path, name) => {
    const wanted = edited(parse(text) as Members, path, ({ [name]: _, ...rest }) => rest);
    return withoutTable(text, [...path, name], wanted) ?? patch(text, wanted);
  },
};

function toKey(name: string): string {
  return BARE_KEY.test(name) ? name : JSON.stringify(name);
}

/** Returns the text with a table behind it; undefined if the file has a part of that table, or states it in one line. */
function appended(text: string, path: readonly string[], members: Members, eol: string): string | undefined {
  const header = path.map(toKey).join('.');
  const lines = Object.entries(members).map(([key, value]) => `${toKey(key)} = ${toToml(value)}`);
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  const whole = `${text}${gap}${[`[${header}]`, ...lines].join(eol)}${eol}`;
  try {
    parse(whole);
    return whole;
  } catch {
    return undefined;
  }
}

/** Returns the text with a line put where it makes the wanted configuration, at the end of a table; undefined if there is no such line. */
function inserted(text: string, line: string, wanted: Members, eol: string): string | undefined {
  const lines = text.split('\n');
  for (let i = lines.length - 1; i >= 0; i--) {
    if (!isContent(lines[i])) continue;
    const end = lines.slice(0, i + 1).join('\n').length;
    const whole =
      text[end] === '\n' ? `${text.slice(0, end + 1)}${line}${eol}${text.slice(end + 1)}` : `${text}${eol}${line}`;
    if (isDeepStrictEqual(parsedOrNot(whole), plain(wanted))) return whole;
  }
  return undefined;
}

/**
 * Returns the text without the lines of a table and of the tables below it, and without a blank line above each; undefined
 * if it is written in another way. Comments behind the table stay, since they may be about the next one: patch removes them.
 */
function withoutTable(text: string, path: readonly string[], wanted: Members): string | undefined {
  const kept: string[] = [];
  let inTable = false;
  let start = 0;
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) {
      inTable = hasPath(parsedOrNot(line.trim()), path);
      if (inTable && kept.at(-1)?.trim() === '') kept.pop();
      start = kept.length;
    }
    if (inTable && isContent(line)) kept.length = start;
    else kept.push(line);
  }
  const whole = kept.join('\n');
  const parsed = parsedOrNot(whole);
  const result = isObject(parsed) ? edited(parsed, path.slice(0, -1), (members) => members) : undefined;
  return isDeepStrictEqual(result, plain(wanted)) ? whole : undefined;
}

function hasPath(config: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  return isObject(config) && Object.hasOwn(config, key) && hasPath(config[key], rest);
}

/** Reports whether a line is more than a comment. */
function isContent(line = ''): boolean {
  return !/^\s*(#|$)/.test(line);
}

function parsedOrNot(text: string): unknown {
  try {
    return plain(parse(text));
  } catch {
    return undefined;
  }
}

/** Strings, numbers, truth values and lists of them are written as in JSON. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${toKey(key)} = ${toToml(member)}`)
    .join(', ')} }`;
}

function edited(config: Members, path: readonly string[], edit: (members: Members) => Members): Members {
  const [key, ...rest] = path;
  if (key === undefined) return edit(config);
  const inner = config[key];
  return { ...config, [key]: edited(isObject(inner) ? inner : {}, rest, edit) };
}
