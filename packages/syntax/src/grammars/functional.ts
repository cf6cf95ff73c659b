import type { Node } from 'web-tree-sitter';
import {
  childOf,
  type DeclaredName,
  field,
  type Grammar,
  type NodeRange,
  named,
  nameField,
  nameIn,
} from '../grammar.ts';
import type { SymbolKind } from '../symbols.ts';

const ELIXIR_KINDS: Readonly<Record<string, SymbolKind>> = {
  defmodule: 'module',
  defprotocol: 'interface',
  defimpl: 'impl',
  def: 'function',
  defp: 'function',
  defdelegate: 'function',
  defguard: 'macro',
  defguardp: 'macro',
  defmacro: 'macro',
  defmacrop: 'macro',
  defstruct: 'struct',
  defexception: 'struct',
};

const ATTRIBUTES = new Set(['spec', 'impl', 'deprecated', 'since', 'dialyzer']);
const TYPES = new Set(['type', 'typep', 'opaque', 'callback', 'macrocallback']);

export const elixir: Grammar = {
  inside: 'source do_block ERROR',
  docIn: moduleDoc,
  symbols: {
    call: {
      kind: (node) => {
        const target = field(node, 'target')?.text ?? '';
        return /^(import|alias|require|use)$/.test(target) ? 'import' : ELIXIR_KINDS[target];
      },
      names: elixirNames,
      body: (node) => childOf(node, 'do_block'),
    },
    unary_operator: {
      kind: (node) => {
        const name = attributeOf(node);
        if (ATTRIBUTES.has(name)) return 'attribute';
        if (name === 'doc' || name === 'typedoc') return 'comment';
        if (TYPES.has(name)) return 'type';
        return name && name !== 'moduledoc' ? 'constant' : undefined;
      },
      names: (node) => {
        const call = field(node, 'operand');
        if (!TYPES.has(attributeOf(node))) return named(call && field(call, 'target'));
        return head(childOf(call, 'arguments')?.namedChild(0) ?? null, 0);
      },
      leaf: true,
    },
  },
};

function moduleDoc(node: Node): Node | null {
  const first = childOf(node, 'do_block')?.namedChild(0) ?? null;
  return first?.type === 'unary_operator' && attributeOf(first) === 'moduledoc' ? first : null;
}

function attributeOf(node: Node): string {
  const call = field(node, 'operand');
  if (node.child(0)?.type !== '@' || call?.type !== 'call') return '';
  return field(call, 'target')?.text ?? '';
}

function elixirNames(node: Node): DeclaredName[] {
  const target = field(node, 'target');
  const first = childOf(node, 'arguments')?.namedChild(0) ?? null;
  if (target && /^def(struct|exception)$/.test(target.text)) return [{ node: target, name: '__struct__' }];
  if (target?.text !== 'defimpl' || !first) return head(first, 0);
  const type = /for:\s*([\w.]+)/.exec(childOf(node, 'arguments')?.text.slice(0, 200) ?? '')?.[1];
  return [{ node: first, name: type ? `${first.text} for ${type}` : first.text }];
}

function head(node: Node | null, depth: number): DeclaredName[] {
  if (!node || depth > 5) return [];
  if (node.type === 'call') return named(field(node, 'target'));
  if (node.type === 'binary_operator') return head(field(node, 'left'), depth + 1);
  return node.type === 'identifier' || node.type === 'alias' ? [{ node }] : [];
}

export const haskell: Grammar = {
  inside: 'haskell declarations class_declarations instance_declarations ERROR',
  comments: 'comment haddock',
  imports: 'imports',
  lineComment: '--',
  symbols: {
    data_type: { kind: 'type', leaf: true },
    newtype: { kind: 'type', leaf: true },
    type_synomym: { kind: 'type', leaf: true },
    type_family: { kind: 'type', leaf: true },
    class: { kind: 'interface', body: (node) => field(node, 'declarations') },
    instance: {
      kind: 'impl',
      names: (node) => {
        const name = field(node, 'name');
        const type = field(node, 'patterns')?.text.slice(0, 200).replace(/\s+/g, ' ');
        return name ? [{ node: name, name: `instance ${name.text}${type ? ` ${type}` : ''}` }] : [];
      },
      body: (node) => field(node, 'declarations'),
    },
    signature: { kind: 'function', merges: true, leaf: true },
    function: { kind: 'function', body: fromMatch, merges: true, leaf: true },
    bind: { kind: 'function', body: fromMatch, merges: true, leaf: true },
  },
};

function fromMatch(node: Node): NodeRange | null {
  const match = field(node, 'match');
  return match && { startIndex: match.startIndex, endIndex: node.endIndex };
}

export const ocaml: Grammar = {
  inside:
    'compilation_unit structure signature object_expression module_binding class_binding variant_declaration ERROR',
  wrappers: 'value_definition type_definition exception_definition module_definition class_definition',
  imports: 'open_module include_module',
  symbols: {
    let_binding: {
      kind: (node) => (childOf(node, 'parameter') ? 'function' : 'variable'),
      names: (node) =>
        /^(?:value_name|parenthesized_operator)$/.test(field(node, 'pattern')?.type ?? '')
          ? nameField('pattern')(node)
          : [],
      leaf: true,
    },
    value_specification: { kind: 'function', names: nameIn('value_name', 'parenthesized_operator'), leaf: true },
    external: { kind: 'function', names: nameIn('value_name', 'parenthesized_operator'), leaf: true },
    type_binding: 'type',
    constructor_declaration: {
      kind: (_, { parent }) => (parent === 'variant_declaration' ? 'enum_member' : 'type'),
      names: nameIn('constructor_name'),
      leaf: true,
    },
    module_binding: { kind: 'module', names: nameIn('module_name') },
    module_type_definition: { kind: 'interface', names: nameIn('module_type_name') },
    class_binding: { kind: 'class', names: nameIn('class_name') },
    instance_variable_definition: { kind: 'field', names: nameIn('instance_variable_name'), leaf: true },
    method_definition: { kind: 'method', names: nameIn('method_name'), leaf: true },
  },
};
