import type { Node } from 'web-tree-sitter';
import {
  bodyBehind,
  bodyFrom,
  bodyIn,
  childOf,
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  named,
  nameIn,
  type SymbolRule,
} from '../grammar.ts';
import type { SymbolKind } from '../symbols.ts';

const KEY_DEPTH = 3;

function unquoted(node: Node | null): DeclaredName[] {
  if (!node) return [];
  const text = node.text.slice(0, 200);
  return [{ node, name: /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text }];
}

function structure(node: Node): Node | null {
  const value = field(node, 'value');
  return value && /^(object|array|block_node)$/.test(value.type) ? value : null;
}

export const json: Grammar = {
  inside: 'document object ERROR',
  maxDepth: KEY_DEPTH,
  symbols: { pair: { kind: 'key', names: (node) => unquoted(field(node, 'key')), body: structure } },
};

export const yaml: Grammar = {
  inside: 'stream document block_node block_mapping ERROR',
  maxDepth: KEY_DEPTH,
  lineComment: '#',
  symbols: { block_mapping_pair: { kind: 'key', names: (node) => unquoted(field(node, 'key')), body: structure } },
};

const TOML_KEYS = ['bare_key', 'dotted_key', 'quoted_key'];
const TOML_TABLE: SymbolRule = {
  kind: 'table',
  names: nameIn(...TOML_KEYS),
  body: (node) => bodyBehind(node, childOf(node, ']', ']]')),
};

export const toml: Grammar = {
  inside: 'document ERROR',
  lineComment: '#',
  symbols: {
    table: TOML_TABLE,
    table_array_element: TOML_TABLE,
    pair: { kind: 'key', names: (node) => unquoted(childOf(node, ...TOML_KEYS)), leaf: true },
  },
};

const SQL: readonly (readonly [type: string, kind: SymbolKind])[] = [
  ['create_table', 'table'],
  ['create_view', 'table'],
  ['create_materialized_view', 'table'],
  ['create_index', 'key'],
  ['create_function', 'function'],
  ['create_procedure', 'function'],
  ['create_trigger', 'event'],
  ['create_type', 'type'],
  ['create_schema', 'namespace'],
  ['create_sequence', 'variable'],
];

export const sql: Grammar = {
  inside: 'program column_definitions transaction block ERROR',
  wrappers: 'statement',
  comments: 'comment marginalia',
  symbols: {
    ...Object.fromEntries(
      SQL.map(([type, kind]) => [type, { kind, names: sqlNames, body: bodyIn('column_definitions', 'function_body') }]),
    ),
    column_definition: { kind: 'field', leaf: true },
  },
};

function sqlNames(node: Node): DeclaredName[] {
  if (node.type === 'create_index') return unquoted(field(node, 'column'));
  const reference = childOf(node, 'object_reference', 'identifier');
  return unquoted(reference && (field(reference, 'name') ?? reference));
}

const HCL: Grammar = {
  inside: 'config_file body ERROR',
  maxDepth: KEY_DEPTH,
  symbols: {
    block: { kind: 'block', names: hclNames, body: bodyIn('body') },
    attribute: { kind: 'key', names: nameIn('identifier'), leaf: true },
  },
};

export const terraform = HCL;
export const hcl = HCL;

function hclNames(node: Node): DeclaredName[] {
  const labels = firstChildren(node).filter(({ type }) => type === 'identifier' || type === 'string_lit');
  const last = labels.at(-1);
  return last ? [{ node: last, name: labels.map((label) => label.text.replaceAll('"', '')).join('.') }] : [];
}

const protoName =
  (type: string): ((node: Node) => DeclaredName[]) =>
  (node) =>
    named(childOf(node, type)?.namedChild(0));

export const proto: Grammar = {
  inside: 'source_file message_body enum_body ERROR',
  imports: 'import',
  symbols: {
    message: { kind: 'message', names: protoName('message_name'), body: bodyIn('message_body') },
    enum: { kind: 'enum', names: protoName('enum_name'), body: bodyIn('enum_body') },
    enum_field: { kind: 'enum_member', names: nameIn('identifier'), leaf: true },
    field: { kind: 'field', names: nameIn('identifier'), leaf: true },
    map_field: { kind: 'field', names: nameIn('identifier'), leaf: true },
    oneof: { kind: 'union', names: nameIn('identifier'), body: (node) => bodyFrom(node) },
    oneof_field: { kind: 'field', names: nameIn('identifier'), leaf: true },
    service: { kind: 'service', names: protoName('service_name'), body: (node) => bodyFrom(node) },
    rpc: { kind: 'method', names: protoName('rpc_name'), leaf: true },
  },
};

const GRAPHQL_FIELDS = ['fields_definition', 'enum_values_definition', 'input_fields_definition'];

const graphqlType = (kind: SymbolKind, prefix = ''): SymbolRule => ({
  kind,
  names: (node) => {
    const name = childOf(node, 'name');
    return name ? [{ node: name, name: `${prefix}${name.text}`, members: name.text }] : [];
  },
  body: bodyIn(...GRAPHQL_FIELDS),
});

export const graphql: Grammar = {
  attributes: 'description',
  docIn: (node) => childOf(node, 'description'),
  inside: `source_file document type_definition ${GRAPHQL_FIELDS.join(' ')} ERROR`,
  wrappers:
    'definition type_system_definition type_system_extension type_extension executable_definition type_definition',
  symbols: {
    schema_definition: { kind: 'block', names: (node) => named(childOf(node, 'schema')), leaf: true },
    object_type_definition: graphqlType('class'),
    interface_type_definition: graphqlType('interface'),
    enum_type_definition: graphqlType('enum'),
    input_object_type_definition: graphqlType('struct'),
    union_type_definition: graphqlType('union'),
    scalar_type_definition: graphqlType('type'),
    directive_definition: { ...graphqlType('macro'), leaf: true },
    object_type_extension: graphqlType('extension', 'extend '),
    interface_type_extension: graphqlType('extension', 'extend '),
    enum_type_extension: graphqlType('extension', 'extend '),
    input_object_type_extension: graphqlType('extension', 'extend '),
    field_definition: { kind: 'field', names: nameIn('name'), leaf: true },
    input_value_definition: { kind: 'field', names: nameIn('name'), leaf: true },
    enum_value_definition: {
      kind: 'enum_member',
      names: (node) => named(childOf(node, 'enum_value')?.namedChild(0) ?? childOf(node, 'name')),
      leaf: true,
    },
    operation_definition: { kind: 'operation', names: nameIn('name'), body: bodyIn('selection_set'), leaf: true },
    fragment_definition: {
      kind: 'operation',
      names: (node) => nameIn('name')(childOf(node, 'fragment_name') ?? node),
      body: bodyIn('selection_set'),
      leaf: true,
    },
  },
};
