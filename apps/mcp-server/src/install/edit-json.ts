import { JSONC, parseJsonc } from '@jinn/core/text/jsonc';
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { type Editor, splice } from './config-editor.ts';
import { addMember, type BracedBlock, isWrapped, removeMember } from './edit-braced.ts';
import { indentOfLine } from './edit-lines.ts';

const GAP = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;

/** Edits JSON, with comments and trailing commas as editors allow them. */
export const jsonEditor: Editor = {
  parse: (text) => {
    const value = parseJsonc(text);
    const twice = findDuplicateKey(parseTree(text, [], JSONC));
    if (twice !== undefined) throw new Error(`the key ${JSON.stringify(twice)} stands twice in one object`);
    return value;
  },
  set: (text, path, member, eol) => {
    const layout = { eol, unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ' };
    if (['', '{}'].includes(text.trim())) return fillFile(text, [...path, member.name], member.value, layout);
    const depth = path.findIndex((_, i) => objectAt(text, path.slice(0, i + 1)) === undefined);
    const known = depth < 0 ? valueAt(text, [...path, member.name]) : undefined;
    if (known) {
      const old = text.slice(known.offset, known.offset + known.length);
      const indent = old.includes('\n') ? indentOfLine(text, known.offset) : undefined;
      return splice(text, known.offset, known.offset + known.length, print(member.value, layout, indent));
    }
    const names = depth < 0 ? [member.name] : [...path.slice(depth), member.name];
    const parent = objectAt(text, depth < 0 ? path : path.slice(0, depth)) as Node;
    return addMember(text, toBraced(parent), { ...layout, print: printer(names, member.value, layout) });
  },
  remove: (text, path, name) => {
    const object = objectAt(text, path);
    const index = object?.children?.findIndex(({ children: [key] = [] }) => key?.value === name) ?? -1;
    if (object === undefined || index < 0) return text;
    const braced = toBraced(object);
    if (!isWrapped(text, braced)) return removeMember(text, braced, index);
    const outer = path.at(-1);
    if (outer !== undefined) return jsonEditor.remove(text, path.slice(0, -1), outer);
    return splice(text, object.offset, object.offset + object.length, '{}');
  },
};

/** Finds a key that an object has twice: hosts and the editor would take another one of them. */
function findDuplicateKey(node: Node | undefined): string | undefined {
  const { type, children = [] } = node ?? {};
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

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

function valueAt(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(text, [], JSONC);
  return root && findNodeAtLocation(root, [...path]);
}

function objectAt(text: string, path: readonly string[]): Node | undefined {
  const node = valueAt(text, path);
  return node?.type === 'object' ? node : undefined;
}

function toBraced({ offset, length, children = [] }: Node): BracedBlock {
  const members = children.map((property) => ({ from: property.offset, to: property.offset + property.length }));
  return { open: offset, close: offset + length - 1, members, gap: GAP };
}

/** Fills a file that is empty or has an empty object. */
function fillFile(text: string, names: readonly string[], value: unknown, layout: Layout): string {
  const object = print(nest(names, value), layout, '');
  return text.trim() === '' ? `${object}${layout.eol}` : text.replace('{}', () => object);
}

function nest(names: readonly string[], value: unknown): unknown {
  return names.reduceRight((inner, name) => ({ [name]: inner }), value);
}

/** Returns a function that prints a member of the first name, whose value nests the others. */
function printer([name = '', ...names]: readonly string[], value: unknown, layout: Layout) {
  return (indent?: string): string => {
    if (indent !== undefined) return `${JSON.stringify(name)}: ${print(nest(names, value), layout, indent)}`;
    const inner = names.map((key) => `{ ${JSON.stringify(key)}: `).join('');
    return `${JSON.stringify(name)}: ${inner}${JSON.stringify(value)}${' }'.repeat(names.length)}`;
  };
}

/** Prints a value over several lines, or on one if there is no indentation. */
function print(value: unknown, { eol, unit }: Layout, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}
