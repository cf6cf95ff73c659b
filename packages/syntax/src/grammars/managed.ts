import type { Node } from 'web-tree-sitter';
import {
  bodyIn,
  childOf,
  type DeclaredName,
  field,
  firstChildren,
  type Grammar,
  hasToken,
  nameField,
  nameIn,
  type SymbolRule,
} from '../grammar.ts';

export const java: Grammar = {
  inside:
    'program class_body interface_body enum_body enum_body_declarations annotation_type_body module_body block object_creation_expression ERROR',
  nested: /\b(?:class|interface|enum|record)\s+\w/,
  wrappers: 'field_declaration constant_declaration',
  comments: 'line_comment block_comment',
  attributes: 'annotation marker_annotation',
  imports: 'import_declaration',
  symbols: {
    class_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'interface',
    annotation_type_declaration: 'interface',
    enum_declaration: 'enum',
    enum_constant: 'enum_member',
    method_declaration: 'method',
    annotation_type_element_declaration: { kind: 'method', leaf: true },
    constructor_declaration: 'constructor',
    compact_constructor_declaration: { kind: 'constructor', leaf: true },
    variable_declarator: 'field',
  },
};

const braces = (node: Node): Node | null => field(node, 'body') ?? field(node, 'accessors') ?? field(node, 'value');

export const csharp: Grammar = {
  inside: 'compilation_unit declaration_list enum_member_declaration_list block preproc_if ERROR',
  wrappers: 'field_declaration event_field_declaration global_statement variable_declaration',
  attributes: 'attribute_list',
  imports: 'using_directive extern_alias_directive',
  symbols: {
    namespace_declaration: 'namespace',
    class_declaration: 'class',
    record_declaration: 'class',
    struct_declaration: 'struct',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    enum_member_declaration: { kind: 'enum_member', leaf: true },
    delegate_declaration: { kind: 'type', leaf: true },
    method_declaration: 'method',
    constructor_declaration: 'constructor',
    destructor_declaration: { kind: 'method', names: (node) => renamed(node, field(node, 'name'), '~') },
    local_function_statement: 'function',
    property_declaration: { kind: 'property', body: braces, leaf: true },
    event_declaration: { kind: 'event', body: braces, leaf: true },
    indexer_declaration: {
      kind: 'property',
      names: (node) => renamed(node, childOf(node, 'this'), ''),
      body: braces,
      leaf: true,
    },
    operator_declaration: {
      kind: 'method',
      names: (node) => renamed(node, field(node, 'operator'), 'operator '),
      leaf: true,
    },
    conversion_operator_declaration: {
      kind: 'method',
      names: (node) => renamed(node, field(node, 'type'), 'operator '),
      leaf: true,
    },
    variable_declarator: {
      kind: (_, { wrapper, head }) => {
        if (wrapper === 'event_field_declaration') return 'event';
        return /\bconst\b/.test(head) ? 'constant' : 'variable';
      },
      names: (node) => nameField('name')(node).concat(field(node, 'name') ? [] : nameIn('identifier')(node)),
      leaf: true,
    },
  },
};

function renamed(node: Node, at: Node | null, prefix: string): DeclaredName[] {
  const name = at ?? node.child(0) ?? node;
  return [{ node: name, name: `${prefix}${name.text}` }];
}

export const kotlin: Grammar = {
  inside: 'source_file class_body enum_class_body function_body statements primary_constructor ERROR',
  // The grammar does not know `fun interface`, but annotations.
  prepare: (text) => text.replace(/\bfun(?=[ \t]+interface\b)/g, '@un'),
  // `class A : B by b { … }` is read as a call with a lambda.
  insideTop: 'delegation_specifier explicit_delegation call_expression call_suffix annotated_lambda lambda_literal',
  comments: 'line_comment multiline_comment',
  nested: /\b(?:fun|class|object|interface|typealias)\b/,
  attributes: 'annotation',
  suffixes: 'getter setter',
  imports: 'import_list import_header',
  symbols: {
    class_declaration: {
      kind: (node) => {
        if (hasToken(node, 'interface')) return 'interface';
        return hasToken(node, 'enum') ? 'enum' : 'class';
      },
      names: nameIn('type_identifier'),
      body: bodyIn('class_body', 'enum_class_body'),
    },
    object_declaration: { kind: 'class', names: nameIn('type_identifier'), body: bodyIn('class_body') },
    companion_object: {
      kind: 'class',
      names: (node) => {
        const own = childOf(node, 'type_identifier');
        return [{ node: own ?? childOf(node, 'companion') ?? node, name: own?.text ?? 'Companion' }];
      },
      body: bodyIn('class_body'),
    },
    function_declaration: {
      kind: 'function',
      names: nameIn('simple_identifier'),
      body: bodyIn('function_body'),
    },
    secondary_constructor: {
      kind: 'constructor',
      names: nameIn('constructor'),
      body: bodyIn('statements'),
      leaf: true,
    },
    property_declaration: {
      kind: (node) => {
        const modifiers = childOf(node, 'modifiers');
        return modifiers && firstChildren(modifiers).some(({ text }) => text === 'const') ? 'constant' : 'property';
      },
      names: (node) => {
        const several = childOf(node, 'multi_variable_declaration');
        const each = several ? firstChildren(several) : [childOf(node, 'variable_declaration')];
        return each.flatMap((one) => (one ? nameIn('simple_identifier')(one) : []));
      },
      body: bodyIn('getter'),
      leaf: true,
    },
    class_parameter: {
      kind: (node) => (hasToken(node, 'binding_pattern_kind') ? 'property' : undefined),
      names: nameIn('simple_identifier'),
      leaf: true,
    },
    enum_entry: { kind: 'enum_member', names: nameIn('simple_identifier'), leaf: true },
    type_alias: { kind: 'type', names: nameIn('type_identifier'), leaf: true },
  },
};

export const scala: Grammar = {
  inside:
    'compilation_unit template_body enum_body enum_case_definitions block indented_block with_template_body ERROR',
  wrappers: '',
  comments: 'comment block_comment',
  nested: /\b(?:def|class|object|trait|enum|type|given)\b/,
  attributes: 'annotation',
  imports: 'import_declaration',
  symbols: {
    class_definition: 'class',
    object_definition: 'class',
    trait_definition: 'trait',
    enum_definition: 'enum',
    package_object: 'module',
    simple_enum_case: { kind: 'enum_member', leaf: true },
    full_enum_case: { kind: 'enum_member', leaf: true },
    function_definition: 'function',
    function_declaration: 'function',
    val_definition: { kind: 'constant', names: nameField('pattern'), leaf: true },
    val_declaration: { kind: 'constant', leaf: true },
    var_definition: { kind: 'variable', names: nameField('pattern'), leaf: true },
    var_declaration: { kind: 'variable', leaf: true },
    type_definition: { kind: 'type', leaf: true },
    given_definition: { kind: 'constant' },
  },
};

const DART_CONSTRUCTOR: SymbolRule = { kind: 'constructor', names: dartConstructor, leaf: true };

export const dart: Grammar = {
  inside:
    'program class_body extension_body enum_body declaration method_signature static_final_declaration_list initialized_identifier_list block function_body ERROR',
  comments: 'comment documentation_comment',
  attributes: 'annotation',
  prefixes:
    'const_builtin final_builtin type_identifier type_arguments void_type nullable_type inferred_type late_builtin late external static abstract base sealed var function_type covariant',
  suffixes: 'function_body initializers redirection',
  imports: 'import_or_export library_name part_directive part_of_directive',
  wrappers:
    'declaration method_signature local_function_declaration lambda_expression static_final_declaration_list initialized_identifier_list',
  symbols: {
    class_definition: 'class',
    mixin_declaration: { kind: 'class', names: nameIn('identifier'), body: bodyIn('class_body') },
    extension_declaration: 'extension',
    extension_type_declaration: 'class',
    enum_declaration: 'enum',
    enum_constant: { kind: 'enum_member', leaf: true },
    function_signature: { kind: 'function', leaf: true },
    getter_signature: { kind: 'property', leaf: true },
    setter_signature: { kind: 'property', leaf: true },
    operator_signature: {
      kind: 'method',
      names: (node) => renamed(node, childOf(node, 'binary_operator', '[]', '[]=', '~', '=='), 'operator '),
      leaf: true,
    },
    constructor_signature: DART_CONSTRUCTOR,
    factory_constructor_signature: DART_CONSTRUCTOR,
    constant_constructor_signature: DART_CONSTRUCTOR,
    static_final_declaration: { kind: 'constant', names: nameIn('identifier'), leaf: true },
    initialized_identifier: { kind: 'variable', names: nameIn('identifier'), leaf: true },
    type_alias: { kind: 'type', names: nameIn('type_identifier'), leaf: true },
  },
};

function dartConstructor(node: Node): DeclaredName[] {
  const names = firstChildren(node).filter((child) => child.type === 'identifier');
  const last = names.at(-1);
  return last ? [{ node: last, name: names.map((name) => name.text).join('.') }] : [];
}

const firstWord = (node: Node): DeclaredName[] => [{ node: node.child(0) ?? node }];

export const solidity: Grammar = {
  inside: 'source_file contract_body struct_body enum_body ERROR',
  imports: 'import_directive pragma_directive',
  symbols: {
    contract_declaration: 'class',
    interface_declaration: 'interface',
    library_declaration: 'module',
    struct_declaration: 'struct',
    struct_member: 'field',
    enum_declaration: 'enum',
    enum_value: { kind: 'enum_member', names: firstWord },
    user_defined_type_definition: 'type',
    error_declaration: 'type',
    event_definition: 'event',
    modifier_definition: { kind: 'method', leaf: true },
    constructor_definition: { kind: 'constructor', names: firstWord, leaf: true },
    fallback_receive_definition: { kind: 'method', names: firstWord, leaf: true },
    function_definition: {
      kind: (_, { parent }) => (parent === 'contract_body' ? 'method' : 'function'),
      leaf: true,
    },
    constant_variable_declaration: 'constant',
    state_variable_declaration: {
      kind: (node) => (hasToken(node, 'constant') ? 'constant' : 'field'),
      leaf: true,
    },
  },
};
