import { createSchemaCheck, draftOf } from '@jinn/core';
import { isObject } from '@jinn/core/text/is-object';
import { findReferenceFaults, type Reference } from './schema-references.ts';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const SCHEMA = 'additionalProperties contains propertyNames not if then else unevaluatedItems unevaluatedProperties';
const SCHEMAS = 'anyOf oneOf allOf prefixItems';
const NAMED_SCHEMAS = 'properties patternProperties $defs definitions dependentSchemas';
/** Keywords with other values, by the kind of their values. */
const FORMS: readonly (readonly [keywords: string, isFit: (value: unknown) => boolean, form: string])[] = [
  ['multipleOf', (value) => Number.isFinite(value) && Number(value) > 0, 'a number above 0'],
  ['maximum minimum exclusiveMaximum exclusiveMinimum', Number.isFinite, 'a number'],
  [
    'maxLength minLength maxItems minItems maxProperties minProperties maxContains minContains',
    (value) => Number.isInteger(value) && Number(value) >= 0,
    'a whole number, 0 or more',
  ],
  ['uniqueItems deprecated readOnly writeOnly', (value) => typeof value === 'boolean', 'true or false'],
  ['title description format contentEncoding contentMediaType $comment', isText, 'a text'],
  ['enum', (value) => Array.isArray(value) && value.length > 0, 'a list of values'],
  ['examples', Array.isArray, 'a list of values'],
  ['required', isNames, 'a list of names, each of them once'],
  [
    'dependentRequired',
    (value) => isObject(value) && Object.values(value).every(isNames),
    'an object of lists of names',
  ],
];
/** Keywords whose faults are only found by compiling the schema, which loads ajv. Hardly any tool has one of them. */
const RARE = words(
  '$id id $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $async nullable dependencies additionalItems contentSchema',
);
const MAX_DEPTH = 64;

/**
 * Finds the faults of a tool's JSON Schema: in its form, patterns that are not regular expressions, references that
 * lead nowhere, an unknown draft. Reading is enough for nearly all schemas, and cheap enough for each listing; the
 * others are compiled.
 */
export async function findSchemaFaults(schema: unknown): Promise<readonly string[]> {
  if (!isObject(schema)) return ['must be a JSON Schema, an object'];
  const { type = 'object', $schema } = schema;
  const draft = draftOf($schema);
  if (draft === undefined) return [`$schema: ${JSON.stringify($schema)} is not draft 2020-12 or draft-07`];
  // The APIs of models refuse a request with a tool whose arguments are anything else.
  if (type !== 'object') return [`must have type: object, not ${JSON.stringify(type)}`];
  const look = new SchemaLook(draft);
  look.at(schema, '', 0);
  if (look.faults.length > 0) return look.faults;
  const references = findReferenceFaults(schema, look.references, look.seen);
  return look.isRare || references === 'unknown' ? compileFaults(schema) : references;
}

async function compileFaults(schema: Record<string, unknown>): Promise<readonly string[]> {
  // ajv would compile it to a check that every value passes.
  if (schema['$async'] !== undefined) return ['$async is not a keyword of JSON Schema'];
  try {
    await createSchemaCheck(schema)(null);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Goes through a schema and collects its faults. */
class SchemaLook {
  readonly faults: string[] = [];
  readonly references: Reference[] = [];
  /** All schemas that it has gone through. */
  readonly seen = new Set<unknown>();
  isRare = false;
  readonly #takesLists: boolean;

  constructor(draft: '2020-12' | '07') {
    this.#takesLists = draft === '07';
  }

  at(schema: unknown, at: string, depth: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) this.#fault(at || 'the schema', 'must be an object');
    else if (depth > MAX_DEPTH) this.#fault(at, `is nested deeper than ${MAX_DEPTH} levels`);
    else {
      this.seen.add(schema);
      const below = at === '' ? '' : `${at}.`;
      for (const [key, value] of Object.entries(schema)) this.#keyword(key, value, `${below}${key}`, depth + 1);
    }
  }

  #keyword(key: string, value: unknown, at: string, depth: number): void {
    // Draft-07 refuses a list of values that has one twice.
    if (RARE.has(key) || (key === 'enum' && hasRepeated(value))) this.isRare = true;
    if (KIND.has(key)) this.#schemas(KIND.get(key) as Kind, value, at, depth);
    else if (key === 'items') this.#items(value, at, depth);
    else if (key === 'type') this.#type(value, at);
    else if (key === 'pattern') this.#pattern(value, at);
    else if (key === '$ref') this.references.push({ to: value, at });
    const [isFit, form] = FORM.get(key) ?? [];
    if (isFit?.(value) === false) this.#fault(at, `must be ${form}`);
    if (key === 'patternProperties') for (const pattern of Object.keys(value ?? {})) this.#pattern(pattern, at);
  }

  #schemas(kind: Kind, value: unknown, at: string, depth: number): void {
    if (kind === 'object') {
      if (!isObject(value)) this.#fault(at, 'must be an object of schemas');
      else for (const [name, schema] of Object.entries(value)) this.at(schema, `${at}.${name}`, depth);
    } else if (kind === 'list') {
      if (!Array.isArray(value) || value.length === 0) this.#fault(at, 'must be a list of schemas');
      else for (const [i, schema] of value.entries()) this.at(schema, `${at}.${i}`, depth);
    } else this.at(value, at, depth);
  }

  /** Checks the value of `items`. In draft-07 it may be a list, which later drafts call prefixItems. */
  #items(value: unknown, at: string, depth: number): void {
    if (!Array.isArray(value)) this.at(value, at, depth);
    else if (this.#takesLists) this.#schemas('list', value, at, depth);
    else this.#fault(at, 'must be a schema; a list of schemas is prefixItems, unless $schema names draft-07');
  }

  #type(type: unknown, at: string): void {
    const types = Array.isArray(type) ? type : [type];
    const isFit =
      types.length > 0 && types.every((each) => TYPES.includes(each)) && new Set(types).size === types.length;
    if (!isFit) this.faults.push(`${at}: ${JSON.stringify(type)} is not a type of JSON Schema`);
  }

  /** Checks a pattern. It is compiled as for a check of arguments. */
  #pattern(pattern: unknown, at: string): void {
    try {
      if (typeof pattern === 'string') new RegExp(pattern, 'u');
      else this.#fault(at, 'must be a text');
    } catch {
      this.faults.push(`${at}: ${JSON.stringify(pattern)} is not a regular expression`);
    }
  }

  #fault(at: string, what: string): void {
    this.faults.push(`${at} ${what}`);
  }
}

type Kind = 'schema' | 'list' | 'object';

const KIND = new Map<string, Kind>([
  ...[...words(SCHEMA)].map((key) => [key, 'schema'] as const),
  ...[...words(SCHEMAS)].map((key) => [key, 'list'] as const),
  ...[...words(NAMED_SCHEMAS)].map((key) => [key, 'object'] as const),
]);

const FORM = new Map(
  FORMS.flatMap(([keys, isFit, form]) => [...words(keys)].map((key) => [key, [isFit, form]] as const)),
);

function words(text: string): Set<string> {
  return new Set(text.split(' '));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
}

function hasRepeated(values: unknown): boolean {
  return Array.isArray(values) && new Set(values.map((value) => JSON.stringify(value))).size < values.length;
}
