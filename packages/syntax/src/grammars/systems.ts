import type { Node } from 'web-tree-sitter';
import { findMissingValues } from '../faults/find-faults.ts';
import {
  allNames,
  bodyFrom,
  bodyIn,
  childOf,
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  hasToken,
  named,
  nameField,
  nameIn,
  type SymbolRule,
} from '../grammar.ts';
import { hideMacros } from '../parse/hide-macros.ts';
import type { SymbolKind } from '../symbols.ts';

const GO_TYPES: Readonly<Record<string, SymbolKind>> = { struct_type: 'struct', interface_type: 'interface' };

export const go: Grammar = {
  findFaults: findMissingValues,
  inside: 'source_file struct_type field_declaration_list interface_type ERROR',
  wrappers: 'const_declaration var_declaration type_declaration var_spec_list',
  imports: 'import_declaration',
  symbols: {
    function_declaration: { kind: 'function', leaf: true },
    method_declaration: { kind: 'method', names: methodOfType, leaf: true },
    type_spec: {
      kind: (node) => GO_TYPES[field(node, 'type')?.type ?? ''] ?? 'type',
      body: (node) => {
        const type = field(node, 'type');
        return childOf(type, 'field_declaration_list') ?? (type?.type === 'interface_type' ? bodyFrom(type) : null);
      },
    },
    type_alias: { kind: 'type', leaf: true },
    const_spec: { kind: 'constant', names: allNames, leaf: true },
    var_spec: { kind: 'variable', names: allNames, leaf: true },
    field_declaration: {
      kind: 'field',
      names: (node) => (field(node, 'name') ? allNames(node) : named(embeddedType(field(node, 'type')))),
    },
    method_elem: 'method',
  },
};

function embeddedType(type: Node | null): Node | null {
  if (type?.type === 'type_identifier') return type;
  if (type?.type === 'generic_type') return embeddedType(field(type, 'type'));
  return type && (field(type, 'name') ?? embeddedType(childOf(type, 'type_identifier', 'qualified_type')));
}

function methodOfType(node: Node): DeclaredName[] {
  const name = field(node, 'name');
  const receiver = field(node, 'receiver')?.descendantsOfType('type_identifier')[0];
  return name ? [{ node: name, within: receiver ? [receiver.text] : [] }] : [];
}

export const rust: Grammar = {
  inside:
    'source_file declaration_list field_declaration_list enum_variant_list block foreign_mod_item extern_block ERROR',
  comments: 'line_comment block_comment',
  nested: /\b(?:fn|struct|enum|union|trait|impl|mod|const|static|type|macro_rules)\b/,
  attributes: 'attribute_item',
  imports: 'use_declaration extern_crate_declaration',
  symbols: {
    struct_item: { kind: 'struct', body: bodyIn('field_declaration_list') },
    enum_item: 'enum',
    union_item: 'union',
    enum_variant: { kind: 'enum_member', body: () => null },
    field_declaration: 'field',
    trait_item: 'trait',
    impl_item: { kind: 'impl', names: implementation },
    mod_item: 'module',
    function_item: 'function',
    function_signature_item: 'function',
    const_item: { kind: 'constant', leaf: true },
    static_item: { kind: 'variable', leaf: true },
    type_item: { kind: 'type', leaf: true },
    associated_type: { kind: 'type', leaf: true },
    macro_definition: { kind: 'macro', leaf: true },
  },
};

function implementation(node: Node): DeclaredName[] {
  const type = field(node, 'type');
  if (!type) return [];
  const trait = field(node, 'trait');
  const own = (type.type === 'generic_type' ? field(type, 'type') : type) ?? type;
  return [{ node: type, name: `impl ${trait ? `${plain(trait)} for ` : ''}${plain(type)}`, members: plain(own) }];
}

const MOST_NAME = 200;

function plain(node: Node): string {
  return node.text.slice(0, MOST_NAME).replace(/\s+/g, ' ');
}

function declared(node: Node): DeclaredName[] {
  const names = node.childrenForFieldName('declarator').flatMap((each) => innermost(each, 0));
  const type = field(node, 'type');
  // In `struct point { int x; } p;`, x is of point and not of p.
  const own = type && field(type, 'body') && field(type, 'name');
  return own && !isNamedTwice(node) ? names.map((name) => ({ ...name, members: '' })) : names;
}

function isNamedTwice(definition: Node): boolean {
  const [declarator, ...others] = definition.childrenForFieldName('declarator');
  const type = field(definition, 'type');
  if (definition.type !== 'type_definition' || !declarator || others.length > 0) return false;
  return declarator.type === 'type_identifier' && type !== null && field(type, 'name')?.text === declarator.text;
}

const MOST_DECLARATORS = 20;

function innermost(node: Node, depth: number): DeclaredName[] {
  if (node.type === 'operator_cast') return [conversion(node)];
  const inner =
    field(node, 'declarator') ??
    (/_declarator$/.test(node.type)
      ? firstChildren(node).find(({ type, isNamed }) => isNamed && /declarator$|identifier$|_name$/.test(type))
      : undefined);
  if (inner && depth < MOST_DECLARATORS) return innermost(inner, depth + 1);
  if (node.type === 'qualified_identifier') return qualified(node, []);
  return /identifier$|_name$/.test(node.type) ? [{ node }] : [];
}

/** Names `operator bool() const` without what follows the type. */
function conversion(node: Node): DeclaredName {
  const list = node.descendantsOfType('parameter_list').at(-1);
  return list
    ? {
        node,
        name: plain(node)
          .slice(0, list.startIndex - node.startIndex)
          .trim(),
      }
    : { node };
}

function qualified(node: Node, within: readonly string[]): DeclaredName[] {
  const scope = field(node, 'scope');
  const name = field(node, 'name');
  if (!name) return [];
  const scopeName = scope && (scope.type === 'template_type' ? field(scope, 'name') : scope)?.text;
  const outer = scopeName ? [...within, scopeName] : within;
  if (name.type === 'qualified_identifier' && outer.length < MOST_DECLARATORS) return qualified(name, outer);
  return [{ ...(name.type === 'operator_cast' ? conversion(name) : { node: name }), within: outer }];
}

const isFunction = (node: Node): boolean => node.childrenForFieldName('declarator').some((each) => isCallable(each, 0));

function isCallable(node: Node, depth: number): boolean {
  if (node.type === 'operator_cast') return true;
  // `int (*f)(void)` is a variable, and `int (f)(void)` a function.
  if (node.type === 'function_declarator') return childOf(field(node, 'declarator'), 'pointer_declarator') === null;
  const inner = field(node, 'declarator') ?? childOf(node, 'function_declarator');
  return inner !== null && depth < MOST_DECLARATORS && isCallable(inner, depth + 1);
}

const withBody =
  (kind: SymbolKind) =>
  (node: Node): SymbolKind | undefined =>
    field(node, 'body') && !(node.parent && isNamedTwice(node.parent)) ? kind : undefined;

const TYPES_OF_C: Readonly<Record<string, SymbolKind>> = {
  struct_specifier: 'struct',
  union_specifier: 'union',
  enum_specifier: 'enum',
};

const C_SYMBOLS = {
  function_definition: { kind: 'function', names: declared },
  declaration: {
    kind: (node, { inFunction }) => (inFunction ? undefined : isFunction(node) ? 'function' : 'variable'),
    names: declared,
  },
  field_declaration: { kind: (node) => (isFunction(node) ? 'method' : 'field'), names: declared },
  type_definition: {
    kind: (node) => (isNamedTwice(node) ? TYPES_OF_C[field(node, 'type')?.type ?? ''] : undefined) ?? 'type',
    names: declared,
    body: (node) => childOf(field(node, 'type'), 'field_declaration_list', 'enumerator_list'),
  },
  struct_specifier: { kind: withBody('struct') },
  union_specifier: { kind: withBody('union') },
  enum_specifier: { kind: withBody('enum') },
  enumerator: { kind: 'enum_member', leaf: true },
  preproc_def: { kind: (_, { inFunction }) => (inFunction ? 'macro' : 'constant'), leaf: true },
  // `type (*name)(int) = f;` is read as a call, if the type is not known.
  expression_statement: {
    kind: (node) => (/^\w[\w\s]*\(\s*\*\s*\w+\s*\)\s*\(/.test(node.text) ? 'variable' : undefined),
    names: (node) => nameField('argument')(node.descendantsOfType('pointer_expression')[0] ?? node),
    onlyIn: 'translation_unit',
  },
  preproc_function_def: { kind: 'macro', leaf: true },
} as const satisfies Record<string, SymbolRule>;

const C_SHARED = {
  inside:
    'compound_statement if_statement else_clause for_statement while_statement do_statement switch_statement case_statement labeled_statement translation_unit field_declaration_list enumerator_list preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef declaration_list ERROR',
  wrappers: 'linkage_specification',
  imports: 'preproc_include',
  nested: /^[ \t]*#[ \t]*define\b|\b(?:struct|union|enum|class)\b[^;(){}=]*\{/m,
  hide: hideMacros,
} as const;

export const c: Grammar = { ...C_SHARED, symbols: C_SYMBOLS };

export const cpp: Grammar = {
  ...C_SHARED,
  wrappers: 'template_declaration linkage_specification friend_declaration',
  imports: 'preproc_include using_declaration import_declaration',
  symbols: {
    ...C_SYMBOLS,
    class_specifier: { kind: withBody('class'), names: typeNames },
    struct_specifier: { kind: withBody('struct'), names: typeNames },
    namespace_definition: 'namespace',
    alias_declaration: { kind: 'type', leaf: true },
    concept_definition: { kind: 'type', leaf: true },
  },
};

function typeNames(node: Node): DeclaredName[] {
  const name = field(node, 'name');
  if (name?.type === 'qualified_identifier') return qualified(name, []);
  return named(name?.type === 'template_type' ? field(name, 'name') : name);
}

const ZIG_TYPES: Readonly<Record<string, SymbolKind>> = {
  struct_declaration: 'struct',
  enum_declaration: 'enum',
  union_declaration: 'union',
  opaque_declaration: 'struct',
  error_set_declaration: 'enum',
};
const zigType = (node: Node): Node | null => childOf(node, ...Object.keys(ZIG_TYPES));

export const zig: Grammar = {
  inside: 'source_file struct_declaration enum_declaration union_declaration opaque_declaration ERROR',
  symbols: {
    function_declaration: { kind: 'function', leaf: true },
    variable_declaration: {
      kind: (node) => {
        if (childOf(node, 'builtin_function')?.child(0)?.text === '@import') return undefined;
        return ZIG_TYPES[zigType(node)?.type ?? ''] ?? (hasToken(node, 'const') ? 'constant' : 'variable');
      },
      names: nameIn('identifier'),
      body: (node) => bodyFrom(zigType(node)),
    },
    container_field: {
      kind: (node, { parent }) => {
        if (parent === 'enum_declaration') return 'enum_member';
        // The field of a tuple has a type and no name.
        return parent === 'union_declaration' || hasToken(node, ':') ? 'field' : undefined;
      },
      leaf: true,
    },
    test_declaration: {
      kind: 'test',
      names: (node) => {
        const name = childOf(node, 'string', 'identifier');
        return name ? [{ node: name, name: name.text.replace(/^"|"$/g, '') }] : [];
      },
      body: bodyIn('block'),
      leaf: true,
    },
  },
};

export const swift: Grammar = {
  inside: 'source_file class_body protocol_body enum_class_body function_body statements ERROR',
  comments: 'comment multiline_comment',
  nested: /\b(?:func|class|struct|enum|protocol|actor|extension|typealias)\b/,
  imports: 'import_declaration',
  attributes: 'attribute',
  symbols: {
    class_declaration: {
      kind: (node) => SWIFT_TYPES[field(node, 'declaration_kind')?.text ?? ''] ?? 'class',
      names: (node) => {
        const name = field(node, 'name');
        const extended = name && field(node, 'declaration_kind')?.text === 'extension';
        return extended ? [{ node: name, name: `extension ${plain(name)}`, members: plain(name) }] : named(name);
      },
    },
    protocol_declaration: 'interface',
    function_declaration: 'function',
    protocol_function_declaration: 'method',
    init_declaration: { kind: 'constructor', names: (node) => keyword(node, 'init') },
    deinit_declaration: { kind: 'method', names: (node) => keyword(node, 'deinit') },
    subscript_declaration: {
      kind: 'property',
      names: (node) => keyword(node, 'subscript'),
      body: bodyIn('computed_property'),
    },
    property_declaration: {
      kind: (node) => (childOf(node, 'value_binding_pattern')?.text === 'let' ? 'constant' : 'variable'),
      names: swiftVariables,
      body: (node) => field(node, 'computed_value'),
      leaf: true,
    },
    protocol_property_declaration: { kind: 'property', names: swiftVariables, leaf: true },
    associatedtype_declaration: { kind: 'type', leaf: true },
    typealias_declaration: { kind: 'type', leaf: true },
    enum_entry: {
      kind: 'enum_member',
      names: (node) => allNames(node).filter((each) => each.node.type === 'simple_identifier'),
      leaf: true,
    },
  },
};

const SWIFT_TYPES: Readonly<Record<string, SymbolKind>> = {
  struct: 'struct',
  enum: 'enum',
  extension: 'extension',
  class: 'class',
  actor: 'class',
};

function swiftVariables(node: Node): DeclaredName[] {
  return allNames(node).flatMap((each) => nameField('bound_identifier')(each.node));
}

function keyword(node: Node, token: string): DeclaredName[] {
  const found = childOf(node, token);
  return [{ node: found ?? node.child(0) ?? node, name: token }];
}
