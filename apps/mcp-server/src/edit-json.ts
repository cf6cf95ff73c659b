import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Editor, type Member, splice } from './config-editor.ts';

const COMMENTS = { allowTrailingComma: true, disallowComments: false };

/** JSON, with comments and trailing commas as editors allow them. */
export const jsonEditor: Editor = {
  parse: (text) => {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, COMMENTS);
    const [fault] = errors;
    if (fault) throw new Error(`${printParseErrorCode(fault.error)} at character ${fault.offset}`);
    return value;
  },
  set: (text, path, member, eol) => {
    const source = text.trim() === '' ? `{}${eol}` : text;
    const layout = { eol, unit: /^([ \t]+)\S/m.exec(source)?.[1] ?? '  ' };
    const depth = path.findIndex((_, i) => objectAt(source, path.slice(0, i + 1)) === undefined);
    if (depth < 0) return setMember(source, objectAt(source, path) as Node, member, layout);
    const [missing = member.name, ...rest] = path.slice(depth);
    const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [member.name]: member.value });
    const parent = objectAt(source, path.slice(0, depth)) as Node;
    return setMember(source, parent, { name: missing, value: nested }, layout);
  },
  remove: (text, path, name) => {
    const object = objectAt(text, path);
    const at = object?.children?.findIndex((property) => keyOf(property) === name) ?? -1;
    return object === undefined || at < 0 ? text : removeMember(text, object, at);
  },
};

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

function objectAt(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(text, [], COMMENTS);
  const node = root && findNodeAtLocation(root, [...path]);
  return node?.type === 'object' ? node : undefined;
}

function keyOf({ children: [key] = [] }: Node): unknown {
  return key?.value;
}

function setMember(text: string, object: Node, { name, value }: Member, layout: Layout): string {
  const { children = [] } = object;
  const known = children.find((property) => keyOf(property) === name)?.children?.[1];
  if (known) {
    const print = printer(indentOfLine(text, known.offset), layout);
    return splice(text, known.offset, known.offset + known.length, print(value));
  }
  return (children.length > 0 ? addMember : fillObject)(text, object, { name, value }, layout);
}

/** Gives an object without members its first one, behind what comments it has. */
function fillObject(text: string, object: Node, { name, value }: Member, layout: Layout): string {
  const outer = indentOfLine(text, object.offset);
  const indent = outer + layout.unit;
  const close = object.offset + object.length - 1;
  const end = object.offset + 1 + text.slice(object.offset + 1, close).trimEnd().length;
  const member = `${JSON.stringify(name)}: ${printer(indent, layout)(value)}`;
  return splice(text, end, close, `${layout.eol}${indent}${member}${layout.eol}${outer}`);
}

/** Adds a member behind the last one, in the layout of the others. */
function addMember(text: string, object: Node, { name, value }: Member, layout: Layout): string {
  const last = object.children?.at(-1) as Node;
  const close = object.offset + object.length - 1;
  const end = last.offset + last.length;
  const comma = commaBehind(text, end, close);
  if (!text.slice(object.offset, close).includes('\n')) {
    const member = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return comma === undefined
      ? splice(text, end, end, `, ${member}`)
      : splice(text, comma + 1, comma + 1, ` ${member}`);
  }
  const indent = indentOfLine(text, last.offset);
  const member = `${layout.eol}${indent}${JSON.stringify(name)}: ${printer(indent, layout)(value)}`;
  // Comments behind the last member stay behind it.
  const at = end + text.slice(end, close).trimEnd().length;
  const missing =
    at === close || text.slice(at, close).includes('\n') ? '' : `${layout.eol}${indentOfLine(text, object.offset)}`;
  if (comma !== undefined) return splice(text, at, at, `${member},${missing}`);
  return splice(splice(text, at, at, member + missing), end, end, ',');
}

function removeMember(text: string, object: Node, at: number): string {
  const { children = [] } = object;
  const property = children[at] as Node;
  const before = children[at - 1];
  const close = object.offset + object.length - 1;
  const end = property.offset + property.length;
  const comma = commaBehind(text, end, children[at + 1]?.offset ?? close);
  const lastEnd = before && before.offset + before.length;
  if (comma === undefined && lastEnd !== undefined && !text.slice(lastEnd, property.offset).includes('\n')) {
    return splice(text, lastEnd, end, '');
  }
  const [from, to] = wholeLine(text, property.offset, comma === undefined ? end : comma + 1);
  const rest = splice(text, from, to, '');
  const dangling = comma === undefined && lastEnd !== undefined && commaBehind(text, lastEnd, property.offset);
  return typeof dangling === 'number' ? splice(rest, dangling, dangling + 1, '') : rest;
}

/** Widens a range to its whole lines, with the line end before it, if nothing else stands on them. */
function wholeLine(text: string, from: number, to: number): [number, number] {
  const head = /\r?\n[ \t]*$/.exec(text.slice(0, from))?.[0];
  const isLast = /^[ \t]*(\r?\n|$)/.test(text.slice(to));
  if (head !== undefined && isLast) return [from - head.length, to];
  const blanks = /^[ \t]*/.exec(text.slice(to))?.[0] ?? '';
  return [from, to + blanks.length];
}

/** The offset of the comma behind a member, past blanks and comments. */
function commaBehind(text: string, from: number, to: number): number | undefined {
  const between = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, to))?.[0] ?? '';
  return text[from + between.length] === ',' ? from + between.length : undefined;
}

function printer(indent: string, { eol, unit }: Layout): (value: unknown) => string {
  return (value) => JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function indentOfLine(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? '';
}
