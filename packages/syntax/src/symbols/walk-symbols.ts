import type { Node, Tree, TreeCursor } from 'web-tree-sitter';
import { type DeclaredName, field, type Grammar, type NodeSurroundings, named, type SymbolRule } from '../grammar.ts';
import type { SymbolKind } from '../symbols.ts';
import { endOf, type FoundSymbol, type SymbolParts, signatureStart, toFoundSymbol } from './found-symbol.ts';
import { type NodeRoles, ROLE } from './node-roles.ts';
import {
  addToLead,
  areApartByBlanks,
  endsLine,
  isBlank,
  type Lead,
  type LeadPart,
  leadOf,
  NO_LEAD,
  startsLine,
  trimmedEnd,
} from './text-around.ts';

export interface WalkedSymbols {
  readonly symbols: FoundSymbol[];
  readonly imports: { start: number; end: number }[];
  readonly tails: { readonly start: number; readonly end: number }[];
  truncated: boolean;
}

/** Each level takes frames of the stack. */
const MOST_LEVELS = 200;
const MOST_SYMBOLS = 20_000;
const NODES_A_LOOK = 256;
const MOST_HEAD = 300;
const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'constructor', 'test']);
const VARIABLES: ReadonlySet<SymbolKind> = new Set(['variable', 'constant', 'field', 'property']);
const LEAD_PARTS: Readonly<Record<number, LeadPart>> = {
  [ROLE.comment]: 'comment',
  [ROLE.attribute]: 'attribute',
  [ROLE.prefix]: 'prefix',
};

interface Walk {
  readonly text: string;
  readonly grammar: Grammar;
  readonly roles: NodeRoles;
  readonly findings: WalkedSymbols;
  readonly isLate: () => boolean;
  readonly embed: (language: string, text: Node) => void;
  /** The starts of hidden text that belongs to the code after its end. */
  readonly prefixes: ReadonlyMap<number, number> | undefined;
  readonly cursor: TreeCursor;
  nodes: number;
}

interface Scope {
  readonly symbol: number;
  readonly inFunction: boolean;
  readonly parentType: number;
  readonly level: number;
  /** The wrappers around them, if nothing but wrappers is between. */
  readonly wrapper: Wrapper | undefined;
}

interface Wrapper {
  readonly type: number;
  readonly start: number;
  readonly symbols: number[];
}

interface Siblings {
  lead: Lead;
  /** The index of the symbol before, to which a later node may belong, or -1. */
  last: number;
  takesRest: boolean;
}

/** Adds the symbols and imports of a tree to the findings, in one pass. */
export function walkSymbols(tree: Tree, options: Omit<Walk, 'cursor' | 'nodes'>): void {
  const cursor = tree.walk();
  try {
    const walk = { ...options, cursor, nodes: 0 };
    const parentType = cursor.nodeTypeId;
    walkChildren(walk, { symbol: -1, inFunction: false, parentType, level: 0, wrapper: undefined });
  } finally {
    cursor.delete();
  }
}

function walkChildren(walk: Walk, scope: Scope): void {
  const { cursor } = walk;
  if (scope.level > MOST_LEVELS || !cursor.gotoFirstChild()) return;
  const siblings: Siblings = { lead: NO_LEAD, last: -1, takesRest: false };
  do {
    if (isOver(walk)) break;
    visit(walk, scope, siblings);
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
}

function isOver(walk: Walk): boolean {
  const { findings } = walk;
  walk.nodes++;
  if (findings.symbols.length >= MOST_SYMBOLS || (walk.nodes % NODES_A_LOOK === 0 && walk.isLate())) {
    findings.truncated = true;
  }
  return findings.truncated;
}

function visit(walk: Walk, scope: Scope, siblings: Siblings): void {
  const type = walk.cursor.nodeTypeId;
  const role = walk.roles.roles[type] ?? ROLE.none;
  const part = LEAD_PARTS[role];
  if (part) {
    if (part === 'comment') addTail(walk);
    siblings.lead = addToLead(walk.text, siblings.lead, part, walk.cursor);
  } else if (role === ROLE.symbol) {
    visitSymbol(walk, scope, siblings, type);
  } else if (role === ROLE.suffix && siblings.last >= 0) {
    extendBySuffix(walk, scope, siblings.last, type);
  } else if (role !== ROLE.none) {
    enter(walk, scope, siblings, { role, type });
  } else if (siblings.takesRest) {
    extend(walk, siblings.last, walk.cursor.endIndex);
  }
}

function enter(walk: Walk, scope: Scope, siblings: Siblings, { role, type }: { role: number; type: number }): void {
  const { symbol, inFunction } = scope;
  if (role === ROLE.scope || role === ROLE.inside || (role === ROLE.insideTop && !inFunction)) {
    const isFunction = inFunction || role === ROLE.scope;
    const inside = { symbol, inFunction: isFunction, parentType: type, wrapper: undefined };
    walkChildren(walk, { ...inside, level: scope.level + 1 });
  } else if (role === ROLE.wrapper) enterWrapper(walk, scope, siblings, type);
  else if (role === ROLE.import) addImport(walk);
  else if (role === ROLE.embedding) embed(walk);
}

function addTail({ cursor, text, findings }: Walk): void {
  const { startIndex: start } = cursor;
  const end = trimmedEnd(text, start, cursor.endIndex);
  if (!startsLine(text, start) && endsLine(text, end)) findings.tails.push({ start, end });
}

function enterWrapper(walk: Walk, scope: Scope, siblings: Siblings, type: number): void {
  const { cursor, text, findings } = walk;
  const { startIndex: start, endIndex: end } = cursor;
  const lead = leadBefore(walk, siblings.lead, start);
  const outer = scope.wrapper;
  const wrapper: Wrapper = { type: outer?.type ?? type, start: outer?.start ?? start, symbols: [] };
  const node = cursor.currentNode;
  const { symbol, inFunction } = scope;
  walkChildren(walk, { symbol, inFunction, parentType: type, level: scope.level + 1, wrapper });
  outer?.symbols.push(...wrapper.symbols);
  const [first] = wrapper.symbols;
  if (first === undefined) return;
  siblings.last = first;
  siblings.takesRest = false;
  const symbols = wrapper.symbols.map((index) => findings.symbols[index] as FoundSymbol);
  if (symbols.some((symbol) => symbol.start !== symbols[0]?.start)) {
    const isBeforeComma = symbols.some(({ end }) => /^\s*,/.test(text.slice(end, end + MOST_HEAD)));
    if (isBeforeComma) for (const symbol of symbols) symbol.shared = true;
    return;
  }
  for (const symbol of symbols) widen(walk, symbol, { node, start, end, lead });
}

function widen(
  walk: Walk,
  symbol: FoundSymbol,
  { node, start, end, lead }: { node: Node; start: number; end: number; lead: Lead },
): void {
  symbol.start = Math.min(symbol.start, lead.start >= 0 ? lead.start : start);
  symbol.end = Math.max(symbol.end, endOf({ node, text: walk.text, lineComment: walk.grammar.lineComment }, end));
  if (lead.prefixStart >= 0) symbol.signatureStart = lead.prefixStart;
  else if (start < symbol.nodeStart) symbol.signatureStart = signatureStart(node, (child) => isAttribute(walk, child));
  symbol.nodeStart = Math.min(symbol.nodeStart, start);
  if (symbol.docStart >= 0 || lead.docStart < 0) return;
  symbol.docStart = lead.docStart;
  symbol.docEnd = lead.docEnd;
}

function isAttribute(walk: Walk, node: Node): boolean {
  const role = walk.roles.roles[node.typeId];
  return role === ROLE.attribute || role === ROLE.comment;
}

function visitSymbol(walk: Walk, scope: Scope, siblings: Siblings, type: number): void {
  const rule = walk.roles.rules[type] as SymbolRule;
  const otherwise = walk.roles.otherwise[type] ?? ROLE.none;
  if (rule.onlyIn !== undefined && rule.onlyIn !== walk.roles.typeOf(scope.parentType)) {
    enter(walk, scope, siblings, { role: otherwise, type });
    return;
  }
  const node = walk.cursor.currentNode;
  const around = new Neighbourhood(walk, scope, node);
  const kind = typeof rule.kind === 'function' ? rule.kind(node, around) : rule.kind;
  if (kind === 'import') {
    addImport(walk);
    return;
  }
  if (kind === 'attribute' || kind === 'comment') {
    siblings.lead = addToLead(walk.text, siblings.lead, kind, node);
    return;
  }
  if (kind && scope.inFunction && VARIABLES.has(kind) && !rule.promoted) return;
  // The name of a broken declaration may be an empty node, or white space.
  const all = kind === undefined ? [] : (rule.names?.(node, around) ?? named(field(node, 'name')));
  const names = all.filter(({ node: at, name }) => /\S/.test(name ?? at.text));
  if (!kind || names.length === 0) enter(walk, scope, siblings, { role: otherwise, type });
  else addSymbols(walk, scope, siblings, { node, rule, kind, names });
}

/** Looks only if a rule asks: most do not. */
class Neighbourhood implements NodeSurroundings {
  private readonly walk: Walk;
  private readonly scope: Scope;
  private readonly node: Node;

  constructor(walk: Walk, scope: Scope, node: Node) {
    this.walk = walk;
    this.scope = scope;
    this.node = node;
  }

  get parent(): string {
    return this.walk.roles.typeOf(this.scope.parentType);
  }

  get inFunction(): boolean {
    return this.scope.inFunction;
  }

  get wrapper(): string {
    const { wrapper } = this.scope;
    return wrapper ? this.walk.roles.typeOf(wrapper.type) : '';
  }

  get head(): string {
    const { wrapper } = this.scope;
    if (!wrapper) return '';
    return this.walk.text.slice(wrapper.start, Math.min(this.node.startIndex, wrapper.start + MOST_HEAD));
  }
}

function addSymbols(
  walk: Walk,
  scope: Scope,
  siblings: Siblings,
  { node, rule, kind, names }: Pick<SymbolParts, 'node' | 'rule' | 'kind'> & { names: readonly DeclaredName[] },
): void {
  const { text, grammar, findings } = walk;
  const type = walk.cursor.nodeTypeId;
  const parts: SymbolParts = {
    ...{ node, rule, kind, text },
    lead: leadBefore(walk, siblings.lead, node.startIndex),
    parent: findings.symbols[scope.symbol],
    parentIndex: scope.symbol,
    lineComment: grammar.lineComment,
    isAttribute: (child) => isAttribute(walk, child),
    docIn: grammar.docIn,
  };
  const found = names.map((name) => toFoundSymbol(parts, name));
  if (rule.merges && mergeIntoLast(findings.symbols[siblings.last], found[0])) return;
  // In `typedef struct a { … } b;` the struct declares no members of b: without it, b is nothing.
  const outer = findings.symbols[scope.symbol];
  const isPart = outer !== undefined && outer.path === outer.membersPath + outer.name;
  for (const symbol of found) symbol.shared = found.length > 1 || isPart;
  const first = findings.symbols.length;
  findings.symbols.push(...found);
  scope.wrapper?.symbols.push(...found.map((_, i) => first + i));
  siblings.last = first;
  siblings.takesRest = rule.takesRest ?? false;
  const depth = (found[0]?.depth ?? 0) + 1;
  if (rule.leaf || depth >= (grammar.maxDepth ?? MOST_LEVELS)) return;
  const inFunction = FUNCTIONS.has(kind);
  const [own] = found;
  if (inFunction && grammar.nested && own) {
    const from = kind === 'constructor' ? own.nodeStart : own.bodyStart;
    if (own.bodyStart < 0 || !grammar.nested.test(text.slice(from, own.bodyEnd))) return;
  }
  walkChildren(walk, { symbol: first, inFunction, parentType: type, level: scope.level + 1, wrapper: undefined });
}

/** Includes hidden macros in front. */
function leadBefore({ text, grammar, prefixes }: Walk, above: Lead, start: number): Lead {
  let first = start;
  for (let at = start; prefixes && at > 0 && (at === start || isBlank(text.charCodeAt(at))); at--) {
    first = prefixes.get(at) ?? first;
  }
  const lead = leadOf(text, above, first, grammar.lineComment);
  return lead.start >= 0 || first === start ? lead : { ...NO_LEAD, start: first, end: start };
}

function mergeIntoLast(last: FoundSymbol | undefined, next: FoundSymbol | undefined): boolean {
  if (!last || !next || last.path !== next.path || last.parent !== next.parent) return false;
  if (last.bodyStart < 0) last.bodyStart = next.start;
  last.end = next.end;
  last.bodyEnd = next.end;
  return true;
}

function extend(walk: Walk, index: number, end: number): void {
  const symbol = walk.findings.symbols[index];
  if (!symbol || end <= symbol.end) return;
  if (symbol.bodyStart < 0) symbol.bodyStart = symbol.end;
  symbol.end = trimmedEnd(walk.text, symbol.start, end);
  symbol.bodyEnd = symbol.end;
}

function extendBySuffix(walk: Walk, scope: Scope, index: number, type: number): void {
  const { cursor, text } = walk;
  const symbol = walk.findings.symbols[index];
  if (!symbol || !areApartByBlanks(text, symbol.end, cursor.startIndex)) return;
  const end = endOf({ node: cursor.currentNode, text, lineComment: undefined }, cursor.endIndex);
  if (symbol.bodyStart < 0) symbol.bodyStart = cursor.startIndex;
  symbol.bodyEnd = trimmedEnd(text, symbol.bodyStart, cursor.endIndex);
  symbol.end = end;
  const inFunction = FUNCTIONS.has(symbol.kind);
  walkChildren(walk, { symbol: index, inFunction, parentType: type, level: scope.level + 1, wrapper: undefined });
}

function addImport({ cursor, text, grammar, findings }: Walk): void {
  const { startIndex: start } = cursor;
  const end = endOf({ node: cursor.currentNode, text, lineComment: grammar.lineComment }, cursor.endIndex);
  const last = findings.imports.at(-1);
  if (last && areApartByBlanks(text, last.end, start)) last.end = end;
  else findings.imports.push({ start, end });
}

function embed(walk: Walk): void {
  const found = walk.grammar.embedded?.(walk.cursor.currentNode);
  if (found) walk.embed(found.language, found.text);
}
