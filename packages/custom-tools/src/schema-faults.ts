import { isKnownDraft } from '@jinn/core';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const SCHEMA = ['additionalProperties', 'items', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'];
const SCHEMAS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const MAX_DEPTH = 64;

/**
 * Finds what is wrong with the form of a JSON Schema, as far as a look at it tells: types that do not exist, members of the
 * wrong kind, patterns that are not regular expressions, a draft that is not known. That is enough to list tools; a schema
 * is compiled when its tool is called or checked.
 */
export function findSchemaFaults(schema: unknown): string[] {
  if (!isObject(schema)) return ['must be a JSON Schema, an object'];
  const { type = 'object', $schema } = schema;
  if (!isKnownDraft($schema)) return [`$schema: ${JSON.stringify($schema)} is not draft 2020-12 or draft-07`];
  // The APIs of models refuse a request with a tool whose arguments are anything else.
  if (type !== 'object') return [`must have type: object, not ${JSON.stringify(type)}`];
  return faultsIn(schema, '', 0);
}

function faultsIn(schema: unknown, at: string, depth: number): string[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [`${at || 'the schema'} must be an object`];
  if (depth > MAX_DEPTH) return [`${at} is nested deeper than ${MAX_DEPTH} levels`];
  const below = (key: string) => (at === '' ? key : `${at}.${key}`);
  const faults = [
    ...typeFaults(schema['type'], below('type')),
    ...requiredFaults(schema['required'], below('required')),
    ...patternFaults(schema['pattern'], below('pattern')),
  ];
  for (const key of SCHEMA) {
    if (schema[key] !== undefined && !Array.isArray(schema[key]))
      faults.push(...faultsIn(schema[key], below(key), depth + 1));
  }
  for (const key of SCHEMAS) faults.push(...listFaults(schema[key], below(key), depth));
  for (const key of NAMED_SCHEMAS) faults.push(...memberFaults(schema[key], below(key), depth));
  for (const pattern of Object.keys(schema['patternProperties'] ?? {})) {
    faults.push(...patternFaults(pattern, below('patternProperties')));
  }
  return faults;
}

function typeFaults(type: unknown, at: string): string[] {
  const types = Array.isArray(type) ? type : [type];
  if (type === undefined || types.every((each) => TYPES.includes(each))) return [];
  return [`${at}: ${JSON.stringify(type)} is not a type of JSON Schema`];
}

function requiredFaults(required: unknown, at: string): string[] {
  if (required === undefined) return [];
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string');
  return isList ? [] : [`${at} must be a list of names`];
}

/** Patterns are compiled as ajv does it. */
function patternFaults(pattern: unknown, at: string): string[] {
  if (pattern === undefined) return [];
  if (typeof pattern !== 'string') return [`${at} must be a text`];
  try {
    new RegExp(pattern, 'u');
    return [];
  } catch {
    return [`${at}: ${JSON.stringify(pattern)} is not a regular expression`];
  }
}

function listFaults(schemas: unknown, at: string, depth: number): string[] {
  if (schemas === undefined) return [];
  if (!Array.isArray(schemas)) return [`${at} must be a list of schemas`];
  return schemas.flatMap((schema, i) => faultsIn(schema, `${at}.${i}`, depth + 1));
}

function memberFaults(schemas: unknown, at: string, depth: number): string[] {
  if (schemas === undefined) return [];
  if (!isObject(schemas)) return [`${at} must be an object of schemas`];
  return Object.entries(schemas).flatMap(([name, schema]) => faultsIn(schema, `${at}.${name}`, depth + 1));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
