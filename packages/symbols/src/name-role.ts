import type { Identifier, TreeStep } from '@jinn/syntax';

/**
 * What an identifier does where it stands: it declares a name (`binding`), is used as a variable, function or type
 * (`reference`), is named as a member of something, is the key of an object or the name of an argument, stands in an
 * import or an export, or is a part of the path of a module. `unclear` is what the tree does not tell.
 */
export type NameRole = 'binding' | 'reference' | 'member' | 'key' | 'import' | 'export' | 'module' | 'unclear';

/** Languages whose files name each other in imports that are read here; of the others only one file is known. */
export type ModuleSystem = 'script' | 'python';

const SCRIPTS: ReadonlySet<string> = new Set('typescript tsx javascript vue svelte html'.split(' '));
/** Other languages of which the nodes that hold uses are known. */
const KNOWN: ReadonlySet<string> = new Set('go java rust c cpp c_sharp php ruby'.split(' '));

export function moduleSystemOf(language: string): ModuleSystem | undefined {
  if (language === 'python') return 'python';
  return SCRIPTS.has(language) ? 'script' : undefined;
}

const ROLES = { script: scriptRole, python: pythonRole } as const;

/** Returns the role of an identifier in a file of a language. */
export function roleOf({ around = [] }: Identifier, language: string): NameRole {
  if (around.length < 2 || around.some(({ type }) => type === 'ERROR')) return 'unclear';
  const system = moduleSystemOf(language);
  if (system) return ROLES[system](around);
  return KNOWN.has(language) ? otherRole(around) : 'unclear';
}

/** True for a type of node that is a key, or that has one: of an object, an argument, a label. */
export function isKeyType(type: string): boolean {
  return /property_identifier|field_identifier|hash_key|label|keyword_argument|keyed_element|literal_element/.test(
    type,
  );
}

/** True for `{ name }` that stands for `{ name: name }`. */
export function isShorthand({ type, parent }: Pick<Identifier, 'type' | 'parent'>): boolean {
  return type.startsWith('shorthand_property') || parent === 'shorthand_field_initializer';
}

/** True for `{ name }` on the left side, which takes a member of that name out of something. */
export function isTakenOut({ type }: Pick<Identifier, 'type'>): boolean {
  return type === 'shorthand_property_identifier_pattern';
}

/** Parents and the fields in them that hold a name that is declared; `*` stands for all fields. */
type Bindings = Readonly<Record<string, string>>;

const SCRIPT_BINDINGS: Bindings = {
  variable_declarator: 'name',
  function_declaration: 'name',
  generator_function_declaration: 'name',
  function_signature: 'name',
  function_expression: 'name',
  generator_function: 'name',
  class_declaration: 'name',
  abstract_class_declaration: 'name',
  class: 'name',
  interface_declaration: 'name',
  type_alias_declaration: 'name',
  enum_declaration: 'name',
  module: 'name',
  internal_module: 'name',
  import_clause: '*',
  namespace_import: '*',
  namespace_export: '*',
  import_require_clause: '*',
  import_alias: '*',
  required_parameter: 'pattern name',
  optional_parameter: 'pattern name',
  formal_parameters: '*',
  arrow_function: 'parameter',
  rest_pattern: '*',
  array_pattern: '*',
  assignment_pattern: 'left',
  object_assignment_pattern: 'left',
  object_pattern: '*',
  pair_pattern: 'value',
  catch_clause: 'parameter',
  for_in_statement: 'left',
  type_parameter: 'name',
  infer_type: '*',
  mapped_type_clause: 'name',
  index_signature: 'name',
  type_predicate: 'name',
};

function scriptRole(around: readonly TreeStep[]): NameRole {
  const [parent, self] = around.slice(-2) as [TreeStep, TreeStep];
  if (/^(?:private_)?property_identifier$/.test(self.type)) return isScriptMember(parent, self) ? 'member' : 'key';
  if (self.type === 'statement_identifier') return 'key';
  if (isScriptMember(parent, self)) return 'member';
  if (parent.type === 'import_specifier') return self.field === 'alias' ? 'binding' : 'import';
  if (parent.type === 'export_specifier') return self.field === 'alias' ? 'binding' : 'export';
  return isBinding(SCRIPT_BINDINGS, parent, self) ? 'binding' : 'reference';
}

function isScriptMember({ type }: TreeStep, { field }: TreeStep): boolean {
  if (type === 'nested_type_identifier') return field === 'name';
  return (type === 'member_expression' || type === 'nested_identifier') && field === 'property';
}

const PYTHON_BINDINGS: Bindings = {
  parameters: '*',
  lambda_parameters: '*',
  list_splat_pattern: '*',
  dictionary_splat_pattern: '*',
  splat_pattern: '*',
  default_parameter: 'name',
  typed_parameter: '*',
  typed_default_parameter: 'name',
  assignment: 'left',
  augmented_assignment: 'left',
  pattern_list: '*',
  tuple_pattern: '*',
  list_pattern: '*',
  for_statement: 'left',
  for_in_clause: 'left',
  as_pattern: 'alias',
  as_pattern_target: '*',
  named_expression: 'name',
  function_definition: 'name',
  class_definition: 'name',
  global_statement: '*',
  nonlocal_statement: '*',
  case_pattern: '*',
};
/** What declares or removes the names anywhere in it. */
const PYTHON_BINDING_AROUND = /^(?:delete_statement|type_parameter)$/;

function pythonRole(around: readonly TreeStep[]): NameRole {
  const [outer, parent, self] = [around.at(-3), ...around.slice(-2)] as [TreeStep | undefined, TreeStep, TreeStep];
  const statement = around.findLast(({ type }) => /^(?:future_)?import_(?:from_)?statement$/.test(type));
  if (statement) return pythonImportRole(around, statement);
  if (parent.type === 'attribute' && self.field === 'attribute') return 'member';
  if (parent.type === 'keyword_argument' && self.field === 'name') return 'key';
  if (parent.type === 'keyword_pattern') return 'key';
  if (parent.type === 'dotted_name') return outer?.type === 'case_pattern' ? 'binding' : 'unclear';
  if (outer?.type === 'type_alias_statement' && parent.field === 'left') return 'binding';
  if (around.slice(-5).some(({ type }) => PYTHON_BINDING_AROUND.test(type))) return 'binding';
  return isBinding(PYTHON_BINDINGS, parent, self) ? 'binding' : 'reference';
}

function pythonImportRole(around: readonly TreeStep[], { type }: TreeStep): NameRole {
  const self = around.at(-1) as TreeStep;
  if (self.field === 'alias') return 'binding';
  const isModule = around.some(({ field, type: of }) => field === 'module_name' || of === 'relative_import');
  if (isModule) return 'module';
  if (type !== 'import_statement') return 'import';
  // `import a.b` declares a; `import a as b` declares b.
  const [outer, dotted] = around.slice(-3) as [TreeStep, TreeStep];
  return outer.type === 'aliased_import' || dotted.start !== self.start ? 'module' : 'binding';
}

/** Fields and parents of which all grammars are known to hold uses, and no declarations. */
const USING_FIELDS: ReadonlySet<string> = new Set(
  'type return_type superclass function value right body condition argument operand trait constructor method'.split(
    ' ',
  ),
);
const USING_PARENTS: ReadonlySet<string> = new Set(
  (
    'call call_expression method_invocation function_call_expression object_creation_expression argument_list ' +
    'arguments argument return_statement type_arguments superclass base_list class_literal binary_expression ' +
    'unary_expression pointer_expression reference_expression parenthesized_expression user_type type_list'
  ).split(' '),
);

/** Grammars have many ways to declare a name: whatever is not known to be a use is unclear. */
function otherRole(around: readonly TreeStep[]): NameRole {
  const [parent, self] = around.slice(-2) as [TreeStep, TreeStep];
  if (isShorthand({ type: self.type, parent: parent.type })) return 'reference';
  if (isKeyType(self.type) || (isKeyType(parent.type) && self.field !== 'value')) return 'key';
  if (parent.type === 'argument' && self.field === 'name') return 'key';
  return USING_FIELDS.has(self.field) || USING_PARENTS.has(parent.type) ? 'reference' : 'unclear';
}

function isBinding(bindings: Bindings, parent: TreeStep, { field }: TreeStep): boolean {
  const fields = Object.hasOwn(bindings, parent.type) ? bindings[parent.type] : undefined;
  if (fields === undefined) return false;
  return fields === '*' || fields.split(' ').includes(field);
}
