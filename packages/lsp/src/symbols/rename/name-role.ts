import type { Identifier, TreeStep } from '@jinn/syntax';

const SCRIPTS: ReadonlySet<string> = new Set('typescript tsx javascript vue svelte html'.split(' '));
const KNOWN: ReadonlySet<string> = new Set('script python go java rust c cpp c_sharp php ruby'.split(' '));

/** Fields and nodes that hold uses of a name, and no declarations, in all grammars. */
const USING_FIELDS: ReadonlySet<string> = new Set(
  (
    'type return_type superclass function value right body condition argument operand trait constructor method object ' +
    'index consequence alternative element'
  ).split(' '),
);
const USING_PARENTS: ReadonlySet<string> = new Set(
  (
    'call call_expression method_invocation function_call_expression object_creation_expression argument_list ' +
    'arguments argument return_statement type_arguments superclass base_list class_literal binary_expression ' +
    'unary_expression pointer_expression reference_expression parenthesized_expression user_type type_list ' +
    'expression_statement array list tuple set pair spread_element ternary_expression conditional_expression ' +
    'template_substitution interpolation await_expression await yield_expression yield throw_statement raise_statement ' +
    'assert_statement sequence_expression assignment_expression augmented_assignment_expression update_expression ' +
    'subscript extends_clause implements_clause extends_type_clause class_heritage type_annotation type generic_type ' +
    'union_type intersection_type array_type pointer_type slice_type type_query non_null_expression as_expression ' +
    'satisfies_expression jsx_expression jsx_opening_element jsx_closing_element jsx_self_closing_element ' +
    'binary_operator boolean_operator not_operator comparison_operator unary_operator decorator if_clause list_splat ' +
    'dictionary_splat'
  ).split(' '),
);
/** Nodes that declare names at any depth, or take them out of something. */
const BINDING_AROUND = /pattern|type_param|type_alias_statement|^import|ERROR/;

/** Returns `script` for the languages whose code is that of JavaScript. */
export function familyOf(language: string): string {
  return SCRIPTS.has(language) ? 'script' : language;
}

/** Reports whether the nodes of a language that hold uses are known. */
export function isKnown(language: string): boolean {
  return KNOWN.has(familyOf(language));
}

/**
 * Reports whether an identifier is used as a variable, function or type. Grammars have many ways to declare a name, so
 * only known uses count.
 */
export function isUse({ around = [], type }: Identifier, language: string): boolean {
  if (!isKnown(language) || around.slice(-4).some(isBinding)) return false;
  const [parent, self] = withoutList(around);
  if (!parent || !self) return false;
  if (isShorthand({ type, parent: parent.type })) return true;
  if (isKeyType(type) || (isKeyType(parent.type) && self.field !== 'value')) return false;
  if (parent.type === 'argument' && self.field === 'name') return false;
  if (parent.type === 'export_specifier') return self.field === 'name';
  return USING_FIELDS.has(self.field) || USING_PARENTS.has(parent.type);
}

/**
 * Reports whether a node declares names at any depth, or takes them out of something. In a generic type of Python it
 * does not: there, arguments have the same node as the declared parameters.
 */
function isBinding({ type }: TreeStep, i: number, steps: readonly TreeStep[]): boolean {
  return BINDING_AROUND.test(type) && steps[i - 1]?.type !== 'generic_type';
}

/** Returns the parent and the identifier. A list of expressions holds uses where one expression would be a use. */
function withoutList(around: readonly TreeStep[]): readonly TreeStep[] {
  return around.at(-2)?.type === 'expression_list' ? around.slice(-3, -1) : around.slice(-2);
}

/**
 * Reports whether an identifier is the key of an object, the name of an argument and the like, which names something
 * else.
 */
export function isKey({ type, parent }: Identifier): boolean {
  return !isShorthand({ type, parent }) && (isKeyType(type) || isKeyType(parent));
}

/** Reports whether a type of node is a key, or has one: of an object, an argument, a label. */
function isKeyType(type: string): boolean {
  return /property_identifier|field_identifier|hash_key|label|statement_identifier|keyword_argument|keyed_element|literal_element/.test(
    type,
  );
}

/** Reports whether a node is `{ name }` that stands for `{ name: name }`. */
export function isShorthand({ type, parent }: Pick<Identifier, 'type' | 'parent'>): boolean {
  return type.startsWith('shorthand_property') || parent === 'shorthand_field_initializer';
}
