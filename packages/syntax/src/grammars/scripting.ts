import type { Node } from 'web-tree-sitter';
import { findEmptyBlocks, findIndentationFaults } from '../faults/find-faults.ts';
import {
  allNames,
  childOf,
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  named,
  nameField,
} from '../grammar.ts';

/** The most names of a chained assignment that are symbols. */
const MOST_LINKS = 32;

export const python: Grammar = {
  findFaults: findIndentationFaults,
  inside:
    'module block if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement for_statement while_statement match_statement case_clause ERROR',
  wrappers: 'decorated_definition expression_statement',
  attributes: 'decorator',
  imports: 'import_statement import_from_statement future_import_statement',
  docIn: docString,
  nested: /\b(?:def|class|type)\b/,
  symbols: {
    class_definition: 'class',
    function_definition: {
      kind: (node) => (field(node, 'name')?.text === '__init__' ? 'constructor' : 'function'),
    },
    assignment: {
      kind: (node) => (/^[A-Z][A-Z\d_]*$/.test(field(node, 'left')?.text ?? '') ? 'constant' : 'variable'),
      names: chained,
      leaf: true,
    },
    type_alias_statement: {
      kind: 'type',
      names: (node) => named(field(node, 'left')?.descendantsOfType('identifier')[0]),
      leaf: true,
    },
  },
};

function docString(node: Node): Node | null {
  const first = field(node, 'body')?.child(0) ?? null;
  const text = first?.type === 'expression_statement' ? first.child(0) : first;
  return text?.type === 'string' ? text : null;
}

function chained(node: Node): DeclaredName[] {
  const names: DeclaredName[] = [];
  let each: Node | null = node;
  for (let links = 0; each?.type === 'assignment' && links < MOST_LINKS; links++) {
    names.push(...assigned(field(each, 'left')));
    each = field(each, 'right');
  }
  return names;
}

function assigned(left: Node | null): DeclaredName[] {
  if (left?.type === 'identifier') return [{ node: left }];
  if (left?.type !== 'pattern_list') return [];
  return named(...firstChildren(left).filter((child) => child.type === 'identifier'));
}

export const ruby: Grammar = {
  nested: /\b(?:def|class|module|attr_\w+)\b/,
  inside:
    'program body_statement singleton_class if unless then elsif else case when case_match in_clause while until do begin rescue ensure begin_block do_block block block_body ERROR',
  // `private def a` is a call with a declaration as its argument.
  wrappers: 'call argument_list if_modifier unless_modifier',
  symbols: {
    module: { kind: 'module', names: scoped },
    class: { kind: 'class', names: scoped },
    method: { kind: (node) => (field(node, 'name')?.text === 'initialize' ? 'constructor' : 'method') },
    singleton_method: 'method',
    assignment: {
      kind: (node) => (field(node, 'left')?.type === 'constant' ? 'constant' : undefined),
      names: nameField('left'),
      body: (node) => field(node, 'right')?.childForFieldName('block') ?? null,
    },
    call: {
      kind: (node) => CALLS[method(node)],
      names: (node) => attributes(field(node, 'arguments')),
    },
  },
};

const CALLS: Readonly<Record<string, 'property' | 'import'>> = {
  attr_reader: 'property',
  attr_writer: 'property',
  attr_accessor: 'property',
  require: 'import',
  require_relative: 'import',
};

function method(call: Node): string {
  return field(call, 'receiver') ? '' : (field(call, 'method')?.text ?? '');
}

function attributes(list: Node | null): DeclaredName[] {
  if (!list) return [];
  const named = firstChildren(list).filter(({ type }) => type === 'simple_symbol' || type === 'string');
  return named.map((node) => ({ node, name: node.text.replace(/^[:"']|["']$/g, '') }));
}

function scoped(node: Node): DeclaredName[] {
  const name = field(node, 'name');
  const last = name?.type === 'scope_resolution' ? field(name, 'name') : name;
  if (!name || !last) return [];
  return [{ node: last, within: name.text.split('::').slice(0, -1).filter(Boolean) }];
}

export const php: Grammar = {
  inside:
    'program declaration_list enum_declaration_list compound_statement if_statement else_clause formal_parameters expression_statement return_statement assignment_expression arguments argument object_creation_expression anonymous_class ERROR',
  scopes: 'anonymous_function arrow_function',
  nested: /\bfunction\s+&?\w|\b(?:class|interface|trait|enum|private|public|protected|readonly)\s+\w/,
  wrappers: 'const_declaration property_declaration',
  imports: 'namespace_use_declaration',
  attributes: 'attribute_list',
  symbols: {
    namespace_definition: {
      kind: (node) => (field(node, 'body') ? 'namespace' : undefined),
    },
    class_declaration: 'class',
    interface_declaration: 'interface',
    trait_declaration: 'trait',
    enum_declaration: 'enum',
    enum_case: 'enum_member',
    function_definition: 'function',
    method_declaration: {
      kind: (node) => (field(node, 'name')?.text === '__construct' ? 'constructor' : 'method'),
    },
    const_element: { kind: 'constant', names: (node) => named(childOf(node, 'name')), leaf: true },
    property_promotion_parameter: {
      kind: 'field',
      names: (node) => named(childOf(field(node, 'name'), 'name')),
      promoted: true,
    },
    property_element: {
      kind: 'field',
      names: (node) => named(childOf(field(node, 'name') ?? childOf(node, 'variable_name'), 'name')),
      leaf: true,
    },
  },
};

export const bash: Grammar = {
  findFaults: findEmptyBlocks,
  inside:
    'program compound_statement subshell if_statement elif_clause else_clause case_statement case_item list do_group ERROR',
  insideTop: 'for_statement while_statement',
  wrappers: 'declaration_command',
  symbols: {
    function_definition: 'function',
    variable_assignment: { kind: 'variable', leaf: true },
    command: {
      kind: (node) => (/^(source|\.)$/.test(field(node, 'name')?.text ?? '') ? 'import' : undefined),
      leaf: true,
    },
  },
};

export const lua: Grammar = {
  nested: /\bfunction\b/,
  inside:
    'chunk block if_statement else_statement elseif_statement do_statement for_statement while_statement expression_list table_constructor function_call arguments return_statement ERROR',
  scopes: 'function_definition',
  wrappers: 'variable_declaration',
  symbols: {
    function_declaration: { kind: 'function', names: (node) => dotted(field(node, 'name')) },
    assignment_statement: {
      kind: (node) => (functionOf(node) ? 'function' : 'variable'),
      names: (node) => {
        const list = childOf(node, 'variable_list');
        return list ? allNames(list).flatMap((each) => dotted(each.node)) : [];
      },
      body: (node) => field(functionOf(node) ?? node, 'body'),
    },
    variable_list: {
      kind: 'variable',
      names: (node) => allNames(node).flatMap((each) => dotted(each.node)),
      onlyIn: 'variable_declaration',
      leaf: true,
    },
    field: {
      kind: (node) => (field(node, 'value')?.type === 'function_definition' ? 'method' : undefined),
      body: (node) => field(field(node, 'value') ?? node, 'body'),
    },
  },
};

function functionOf(assignment: Node): Node | null {
  return childOf(childOf(assignment, 'expression_list'), 'function_definition');
}

function dotted(name: Node | null): DeclaredName[] {
  if (!name || !/^[\w.:]{1,200}$/.test(name.text)) return [];
  const last = field(name, 'field') ?? field(name, 'method') ?? name;
  return [{ node: last, within: last === name ? [] : name.text.split(/[.:]/).slice(0, -1) }];
}
