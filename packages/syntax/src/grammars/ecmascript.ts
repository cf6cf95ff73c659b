import type { Node } from 'web-tree-sitter';
import {
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  hasToken,
  named,
  nameField,
  type SymbolRule,
} from '../grammar.ts';
import type { SymbolKind } from '../symbols.ts';

const FUNCTIONS = ['arrow_function', 'function_expression', 'generator_function'];
const CONSTANT = /^(export\s+|declare\s+|default\s+)*const\b/;
/** How deep patterns may be nested. */
const MOST_PATTERNS = 20;
/** Words in the text of an object that may hold a function. */
const HOLDS_FUNCTIONS = /=>|\bfunction\b|\)\s*(?::[^{}]{0,300})?\{/;

/** The names that a pattern such as `{ a, b: [c = 1] }` declares. */
function patternNames(node: Node | null, depth = 0): Node[] {
  if (!node || depth > MOST_PATTERNS) return [];
  if (/^(?:identifier|shorthand_property_identifier_pattern)$/.test(node.type)) return [node];
  if (node.type === 'pair_pattern') return patternNames(field(node, 'value'), depth + 1);
  if (/assignment_pattern$/.test(node.type)) return patternNames(field(node, 'left'), depth + 1);
  if (!/_pattern$/.test(node.type)) return [];
  return firstChildren(node).flatMap((child) => patternNames(child, depth + 1));
}

/** `const f = () => {}` is a function. */
const DECLARATOR: SymbolRule = {
  kind: (node, { head }) => kindOfValue(field(node, 'value')) ?? (CONSTANT.test(head) ? 'constant' : 'variable'),
  names: (node) => named(...patternNames(field(node, 'name'))),
  body: (node) => bodyOfValue(field(node, 'value')),
};

/** `constructor(private store: Store)` declares a member. */
const PARAMETER: SymbolRule = {
  kind: (node) => (hasToken(node, 'accessibility_modifier', 'readonly', 'override_modifier') ? 'property' : undefined),
  names: nameField('pattern'),
  promoted: true,
};

const FIELD: SymbolRule = {
  kind: (node) => (kindOfValue(field(node, 'value')) === 'function' ? 'method' : 'field'),
  names: (node) => named(field(node, 'name') ?? field(node, 'property')),
  body: (node) => bodyOfValue(field(node, 'value')),
};

/** Functions in an object, and objects that hold some. Its other entries are data. */
const PAIR: SymbolRule = {
  kind: (node, { inFunction }) => {
    const value = field(node, 'value');
    if (kindOfValue(value) === 'function') return 'method';
    return value?.type === 'object' && !inFunction && HOLDS_FUNCTIONS.test(value.text) ? 'property' : undefined;
  },
  names: (node) => named(field(node, 'key')),
  body: (node) => bodyOfValue(field(node, 'value')),
};

/** `exports.run = function () {}`, `Animal.prototype.run = …`. */
const ASSIGNMENT: SymbolRule = {
  kind: (node) => (isPath(field(node, 'left')) ? kindOfValue(field(node, 'right')) : undefined),
  names: (node) => assigned(field(node, 'left')),
  body: (node) => bodyOfValue(field(node, 'right')),
};

const METHOD: SymbolRule = {
  kind: (node) => {
    if (field(node, 'name')?.text === 'constructor') return 'constructor';
    return hasToken(node, 'get', 'set') ? 'property' : 'method';
  },
};

/** Only the default export of a module has no name of its own. */
const DEFAULT_EXPORT: SymbolRule = {
  kind: (node, { parent }) => (parent === 'export_statement' ? kindOfValue(node) : undefined),
  names: (node) => [field(node, 'name') ?? node.child(0) ?? node].map((at) => ({ node: at, name: 'default' })),
};

const DEFAULT_OBJECT: SymbolRule = {
  kind: (node) => (HOLDS_FUNCTIONS.test(node.text) ? 'constant' : undefined),
  names: (node) => [{ node: node.child(0) ?? node, name: 'default' }],
  body: (node) => node,
  onlyIn: 'export_statement',
};

const SHARED = {
  inside:
    'program class_body statement_block if_statement else_clause try_statement catch_clause finally_clause labeled_statement for_statement for_in_statement while_statement do_statement switch_statement switch_body switch_case switch_default object ERROR',
  insideTop: 'call_expression arguments parenthesized_expression unary_expression binary_expression',
  wrappers: 'export_statement lexical_declaration variable_declaration expression_statement',
  attributes: 'decorator',
  nested: /=>|\b(?:function|class|interface|type|enum)\b/,
  imports: 'import_statement',
  comments: 'comment html_comment',
} as const;

const SYMBOLS = {
  class_declaration: 'class',
  class: DEFAULT_EXPORT,
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_expression: DEFAULT_EXPORT,
  generator_function: DEFAULT_EXPORT,
  arrow_function: DEFAULT_EXPORT,
  method_definition: METHOD,
  variable_declarator: DECLARATOR,
  assignment_expression: ASSIGNMENT,
  pair: PAIR,
  object: DEFAULT_OBJECT,
} as const;

export const javascript: Grammar = {
  ...SHARED,
  scopes: FUNCTIONS.join(' '),
  symbols: { ...SYMBOLS, field_definition: FIELD },
};

export const typescript: Grammar = {
  ...SHARED,
  scopes: FUNCTIONS.join(' '),
  inside: `${SHARED.inside} interface_body enum_body as_expression satisfies_expression formal_parameters`,
  nested: /=>|\b(?:function|class|interface|type|enum|private|public|protected|readonly|override)\b/,
  wrappers: `${SHARED.wrappers} ambient_declaration`,
  symbols: {
    ...SYMBOLS,
    public_field_definition: FIELD,
    required_parameter: PARAMETER,
    optional_parameter: PARAMETER,
    abstract_class_declaration: 'class',
    interface_declaration: 'interface',
    type_alias_declaration: { kind: 'type', leaf: true },
    enum_declaration: 'enum',
    enum_assignment: { kind: 'enum_member', leaf: true },
    property_identifier: { kind: 'enum_member', names: (node) => [{ node }], onlyIn: 'enum_body', leaf: true },
    internal_module: { kind: 'namespace', names: moduleNames },
    module: { kind: 'module', names: moduleNames },
    function_signature: 'function',
    method_signature: 'method',
    abstract_method_signature: 'method',
    property_signature: 'property',
  },
};

function moduleNames(node: Node): DeclaredName[] {
  const name = field(node, 'name');
  return name ? [{ node: name, name: name.text.replace(/^['"]|['"]$/g, '') }] : [];
}

function kindOfValue(value: Node | null): SymbolKind | undefined {
  if (value && FUNCTIONS.includes(value.type)) return 'function';
  return value?.type === 'class' ? 'class' : undefined;
}

function bodyOfValue(value: Node | null): Node | null {
  if (value && kindOfValue(value)) return field(value, 'body');
  if (/^(?:as|satisfies)_expression$/.test(value?.type ?? '')) return bodyOfValue(value?.child(0) ?? null);
  return value?.type === 'object' ? value : null;
}

const MOST_PATH = 200;

function isPath(left: Node | null): boolean {
  if (left?.type !== 'member_expression' || left.endIndex - left.startIndex > MOST_PATH) return false;
  return /^[\w$#]+(\s*\.\s*[\w$#]+)+$/.test(left.text);
}

function assigned(left: Node | null): DeclaredName[] {
  const property = left && field(left, 'property');
  if (!property) return [];
  const object = left.text.split('.').map((part) => part.trim());
  const within = object.slice(0, -1).filter((part) => !['module', 'exports', 'prototype', 'this'].includes(part));
  return [{ node: property, within }];
}
