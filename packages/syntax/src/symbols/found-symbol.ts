import type { Node } from 'web-tree-sitter';
import { type DeclaredName, field, type SymbolRule } from '../grammar.ts';
import type { SymbolKind } from '../symbols.ts';
import { endBeforeComments, endsLine, type Lead, startsLine, trimmedEnd } from './text-around.ts';

/** A symbol in units of the text. An offset is -1 if there is nothing. */
export interface FoundSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly path: string;
  readonly membersPath: string;
  readonly parent: number;
  readonly depth: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  nodeStart: number;
  start: number;
  end: number;
  signatureStart: number;
  bodyStart: number;
  bodyEnd: number;
  docStart: number;
  docEnd: number;
  shared: boolean;
}

export interface SymbolParts {
  readonly node: Node;
  readonly rule: SymbolRule;
  readonly kind: SymbolKind;
  readonly lead: Lead;
  readonly parent: FoundSymbol | undefined;
  readonly parentIndex: number;
  readonly text: string;
  readonly lineComment: string | undefined;
  readonly isAttribute: (node: Node) => boolean;
  readonly docIn: ((node: Node) => Node | null) | undefined;
}

const MOST_NAME = 300;

export function toFoundSymbol(parts: SymbolParts, declared: DeclaredName): FoundSymbol {
  const { node, rule, lead, parent, text } = parts;
  const { name, nameStart, nameEnd } = nameOf(text, declared);
  const within = declared.within ?? [];
  // `Outer::Inner` in Outer is a member of Outer.
  const names = parent !== undefined && within[0] === parent.name ? within.slice(1) : within;
  const around = rule.promoted && parent ? parent.path.slice(0, -parent.name.length) : (parent?.membersPath ?? '');
  const outer = around + names.map((each) => `${each}/`).join('');
  // The semicolon after the last constant of an enum ends the list of them.
  const isLast = parts.kind === 'enum_member' && text[node.endIndex - 1] !== ';';
  const end = isLast ? trimmedEnd(text, node.startIndex, node.endIndex) : endOf(parts, node.endIndex);
  const inside = rule.body ? rule.body(node) : field(node, 'body');
  const body = inside && inside.startIndex < end ? inside : null;
  const start = lead.start >= 0 ? lead.start : node.startIndex;
  const found: FoundSymbol = {
    name,
    kind: kindIn(parts.kind, parent?.kind, declared),
    path: outer + name,
    membersPath: declared.members === '' ? outer : `${outer}${declared.members ?? name}/`,
    parent: parts.parentIndex,
    depth: parent ? parent.depth + 1 : 0,
    nameStart,
    nameEnd,
    nodeStart: node.startIndex,
    start,
    end,
    signatureStart: lead.prefixStart >= 0 ? lead.prefixStart : signatureStart(node, parts.isAttribute),
    bodyStart: body ? body.startIndex : -1,
    bodyEnd: body ? trimmedEnd(text, body.startIndex, Math.min(body.endIndex, end)) : -1,
    docStart: lead.docStart,
    docEnd: lead.docEnd,
    shared: false,
  };
  const doc = parts.docIn?.(node);
  return doc ? { ...found, docStart: doc.startIndex, docEnd: doc.endIndex } : found;
}

function nameOf(text: string, { node, name }: DeclaredName): { name: string; nameStart: number; nameEnd: number } {
  const written = text.slice(node.startIndex, node.endIndex);
  const at = name ? written.indexOf(name) : -1;
  const nameStart = node.startIndex + Math.max(at, 0);
  const nameEnd = at < 0 || name === undefined ? node.endIndex : nameStart + name.length;
  return { name: (name ?? written).slice(0, MOST_NAME), nameStart, nameEnd };
}

/** With the semicolon after the node and without white space. */
export function endOf(
  { node, text, lineComment }: Pick<SymbolParts, 'node' | 'text' | 'lineComment'>,
  nodeEnd: number,
): number {
  const start = node.startIndex;
  const end =
    lineComment === undefined ? trimmedEnd(text, start, nodeEnd) : endBeforeComments(text, start, nodeEnd, lineComment);
  if (text[end] === ';') return end + 1;
  // In a style without semicolons, a semicolon that starts a line belongs to the statement after it.
  const isNext = text[end - 1] === ';' && end - 1 > start && startsLine(text, end - 1) && !endsLine(text, end);
  return isNext ? trimmedEnd(text, start, end - 1) : end;
}

const TYPES: ReadonlySet<SymbolKind> = new Set(
  'class interface trait impl extension struct union enum'.split(' ') as SymbolKind[],
);

function kindIn(kind: SymbolKind, parent: SymbolKind | undefined, { within }: DeclaredName): SymbolKind {
  const isMember = parent !== undefined && TYPES.has(parent);
  if (kind === 'function' && (isMember || within?.length)) return 'method';
  if (kind === 'variable' && isMember) return 'field';
  return kind === 'method' && parent === undefined && !within?.length ? 'function' : kind;
}

/** The start of the declaration after its attributes. */
export function signatureStart(node: Node, isAttribute: (node: Node) => boolean): number {
  const count = node.childCount;
  for (let i = 0; i < count; i++) {
    const child = node.child(i);
    if (!child || isAttribute(child)) continue;
    if (child.type !== 'modifiers') return child.startIndex;
    const start = signatureStart(child, isAttribute);
    if (start < child.endIndex) return start;
  }
  return count === 0 ? node.startIndex : node.endIndex;
}
