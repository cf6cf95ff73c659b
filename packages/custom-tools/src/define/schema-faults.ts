import { createSchemaCheck, draftOf } from '@jinn/core';
import { isObject } from '@jinn/core/text';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const MAX_DEPTH = 128;
/** The most schemas that references may chain for one value. */
const MAX_CHAIN = 1_000;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Finds what is wrong with a tool's JSON Schema, and where, or undefined if nothing is. Loading ajv takes longer than a
 * whole listing, so it compiles only a schema that is not plain.
 */
export async function findSchemaFault(schema: unknown): Promise<string | undefined> {
  if (!isObject(schema)) return 'must be a JSON Schema, an object';
  const { type = 'object', $schema, ...rest } = schema;
  if (draftOf($schema) === undefined) return `$schema: ${JSON.stringify($schema)} is not draft 2020-12 or draft-07`;
  // The APIs of models refuse a request with a tool whose arguments are anything else.
  if (type !== 'object') return `must have type: object, not ${JSON.stringify(type)}`;
  // ajv would compile it to a check that every value passes.
  if (schema['$async'] !== undefined) return '$async is not a keyword of JSON Schema';
  const parts = [...partsOf(schema)];
  const tooDeep = parts.find(({ depth }) => depth > MAX_DEPTH);
  if (tooDeep) return `${tooDeep.at} is nested deeper than ${MAX_DEPTH} levels`;
  const loop = findLoop(schema, parts);
  if (loop) return `${loop.at}: it refers to itself without a step into the value`;
  return isPlainSchema(rest, schema) ? undefined : await findCompileFault(schema, parts);
}

/** An object in a schema. It may be a schema, or hold schemas or data. */
interface SchemaPart {
  readonly at: string;
  readonly part: Schema;
  readonly depth: number;
}

function* partsOf(value: unknown, at = '', depth = 0): Generator<SchemaPart> {
  if (isObject(value)) yield { at, part: value, depth };
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value))
    yield* partsOf(member, at === '' ? key : `${at}.${key}`, depth + 1);
}

/** Finds a reference by which a schema would check the same value for ever. */
function findLoop(root: Schema, parts: readonly SchemaPart[]): SchemaPart | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  function leadsBack(schema: unknown): boolean {
    if (open.has(schema) || open.size > MAX_CHAIN) return true;
    if (!isObject(schema) || done.has(schema)) return false;
    open.add(schema);
    const found = sameValue(root, schema).some(leadsBack);
    open.delete(schema);
    done.add(schema);
    return found;
  }
  return parts.find(({ part }) => '$ref' in part && leadsBack(part));
}

function sameValue(root: Schema, schema: Schema): unknown[] {
  const { $ref, allOf, anyOf, oneOf, dependentSchemas } = schema;
  const listed = [allOf, anyOf, oneOf, dependentSchemas].flatMap((value) => Object.values(value ?? {}));
  const single = ['not', 'if', 'then', 'else'].map((keyword) => schema[keyword]);
  return [isPath($ref) && follow(root, $ref), ...listed, ...single];
}

function isPath($ref: unknown): $ref is string {
  return typeof $ref === 'string' && /^#(?:\/|$)/.test($ref);
}

function follow(root: Schema, fragment: string): unknown {
  let at: unknown = root;
  for (const step of fragment.split('/').slice(1)) {
    const key = decode(step);
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

async function findCompileFault(schema: Schema, parts: readonly SchemaPart[]): Promise<string | undefined> {
  try {
    await createSchemaCheck(schema)(null);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [, place, what] = /data\/(\S+) ([^,]+)/.exec(message) ?? [];
    if (place !== undefined) return `${place.replaceAll('/', '.')} ${what}`;
    // ajv does not say where a reference or a pattern is.
    const lost = parts.find(({ part: { $ref } }) => isPath($ref) && follow(schema, $ref) === undefined);
    if (lost) return `${lost.at}.$ref: ${JSON.stringify(lost.part['$ref'])} leads nowhere`;
    const isMeant = (value: unknown) => typeof value === 'string' && value !== '' && message.includes(value);
    const textsOf = ({ part }: SchemaPart) => [
      part['$ref'],
      part['pattern'],
      ...Object.keys(Object(part['patternProperties'])),
    ];
    const meant = parts.find((each) => textsOf(each).some(isMeant));
    return meant?.at ? `${meant.at}: ${message}` : message;
  }
}

/** Reports whether a schema has only the usual keywords, each with a fit value, so that ajv would find no fault. */
export function isPlainSchema(value: unknown, root: Schema): boolean {
  if (typeof value === 'boolean') return true;
  const fits = ([key, member]: [string, unknown]) => USUAL.get(key)?.(member, root) ?? key.startsWith('x-');
  return isObject(value) && Object.entries(value).every(fits);
}

function areDifferent(values: unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size === values.length;
}

function isType(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((each) => TYPES.includes(each)) && areDifferent(types);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText) && areDifferent(value);
const arePlain = (value: unknown, root: Schema) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => isPlainSchema(each, root));
const haveNames = (value: unknown, root: Schema) =>
  isObject(value) && Object.values(value).every((each) => isPlainSchema(each, root));

const USUAL = new Map<string, (value: unknown, root: Schema) => boolean>([
  ['type', isType],
  ['pattern', isPattern],
  ...['title', 'description', 'format', '$comment'].map((key) => [key, isText] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (key) => [key, isCount] as const,
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((key) => [key, Number.isFinite] as const),
  ...['properties', '$defs', 'definitions'].map((key) => [key, haveNames] as const),
  ...['anyOf', 'oneOf', 'allOf'].map((key) => [key, arePlain] as const),
  ...['items', 'additionalProperties'].map((key) => [key, isPlainSchema] as const),
  ['required', areTexts],
  ['enum', (value) => Array.isArray(value) && value.length > 0 && areDifferent(value)],
  ['uniqueItems', (value) => typeof value === 'boolean'],
  ['default', () => true],
  ['const', () => true],
  ['examples', Array.isArray],
  [
    '$ref',
    (value, root) => /^#\/(?:\$defs|definitions)\/\w+$/.test(String(value)) && isObject(follow(root, `${value}`)),
  ],
]);
