import { createSchemaCheck } from '@jinn/core';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { findSchemaFaults } from './schema-faults.ts';

const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const inProperty = (schema: unknown) => ({ type: 'object', properties: { v: schema } });

test.each<[object, string]>([
  [{ $ref: '#/$defs/nope' }, 'properties.v.$ref: "#/$defs/nope" leads nowhere'],
  [{ $ref: '#/properties/v/items' }, 'properties.v.$ref: "#/properties/v/items" leads nowhere'],
  [
    { $ref: 'http://example.com/x' },
    'properties.v.$ref: "http://example.com/x" is another schema, and none is fetched',
  ],
  [{ $ref: 'other.json#/a' }, 'is another schema'],
  [{ $ref: '#/%ff' }, 'leads nowhere'],
  [{ $ref: 1 }, 'properties.v.$ref must be a text'],
  [{ $ref: '#nope' }, "can't resolve reference #nope"],
  [{ $ref: '#/properties' }, ''],
  [{ items: [{ type: 'string' }] }, 'properties.v.items must be a schema; a list of schemas is prefixItems'],
  [
    { $ref: '#/properties/v' },
    'properties.v.$ref: "#/properties/v" leads back to itself without a step into the value',
  ],
  [{ anyOf: [{ type: 'string' }, { not: { $ref: '#/properties/v' } }] }, 'leads back to itself'],
  [{ minLength: '3' }, 'properties.v.minLength must be a whole number'],
  [{ maximum: '3' }, 'properties.v.maximum must be a number'],
  [{ multipleOf: 0 }, 'properties.v.multipleOf must be a number above 0'],
  [{ uniqueItems: 'yes' }, 'properties.v.uniqueItems must be true or false'],
  [{ enum: 'a' }, 'properties.v.enum must be a list of values'],
  [{ required: ['a', 'a'] }, 'properties.v.required must be a list of names, each of them once'],
  [{ dependentRequired: { a: 'b' } }, 'properties.v.dependentRequired must be an object of lists'],
  [{ additionalProperties: [] }, 'properties.v.additionalProperties must be an object'],
  [{ anyOf: [] }, 'properties.v.anyOf must be a list of schemas'],
  [{ title: 1 }, 'properties.v.title must be a text'],
  [{ type: [] }, 'properties.v.type: [] is not a type of JSON Schema'],
  [{ $id: 1 }, '$id'],
  [{ $anchor: '1 2' }, 'anchor'],
])('finds what is wrong with %j', async (schema, fault) => {
  const faults = await findSchemaFaults(inProperty(schema));
  if (fault === '') expect(faults).toEqual([]);
  else expect(faults).toEqual([expect.stringContaining(fault)]);
});

test('refuses a schema that ajv would not check', async () => {
  expect(await findSchemaFaults({ $async: true, required: ['a'] })).toEqual(['$async is not a keyword of JSON Schema']);
});

test.each<[object]>([
  [{ $ref: '#' }],
  [{ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }],
  [{ dependentSchemas: { a: { $ref: '#' } } }],
  [JSON.parse('{"if": {"required": ["a"]}, "then": {"$ref": "#"}}')],
])('finds that %j would be checked for ever', async (schema) => {
  expect(await findSchemaFaults(schema)).toEqual([expect.stringContaining('leads back to itself')]);
});

test.each<[object]>([
  [{ ...DRAFT_07, properties: { v: { items: [{ type: 'string' }, { type: 'integer' }] } } }],
  [{ ...inProperty({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/b' }, b: true } }],
  [{ ...inProperty({ $ref: '#/$defs/a~1b%20c' }), $defs: { 'a/b c': {} } }],
  [inProperty({ items: { $ref: '#' } })],
  [inProperty({ $ref: 'https://json-schema.org/draft/2020-12/schema' })],
  [inProperty({ enum: [{ $ref: '#/nope' }], default: { $ref: '#/nope' } })],
  [{ ...inProperty({ $ref: '#here' }), $defs: { a: { $anchor: 'here' } } }],
  [{ $id: 'https://example.com/root', ...inProperty({ $ref: 'part' }), $defs: { a: { $id: 'part', type: 'string' } } }],
])('finds nothing wrong with %j', async (schema) => {
  expect(await findSchemaFaults(schema)).toEqual([]);
});

const VALUES = [
  1,
  -1,
  0.5,
  '1',
  'a',
  'string',
  true,
  null,
  [],
  [1],
  ['a'],
  ['a', 'a'],
  {},
  { a: 1 },
  { a: {} },
  { a: ['b'] },
  [{}],
  '^a',
  '(',
];
const KEYWORDS =
  'additionalProperties items contains propertyNames not if else unevaluatedItems unevaluatedProperties anyOf oneOf allOf prefixItems properties patternProperties $defs definitions dependentSchemas multipleOf maximum exclusiveMinimum maxLength minItems maxContains uniqueItems deprecated readOnly title format $comment enum examples required dependentRequired type pattern $ref $id id $anchor $dynamicRef $dynamicAnchor $vocabulary $async nullable dependencies additionalItems const default'.split(
    ' ',
  );

test('what it finds no fault with can be compiled', { timeout: 60_000 }, async () => {
  const leaf = fc.dictionary(
    fc.constantFrom(...KEYWORDS),
    fc.constantFrom<unknown>(...VALUES, '#', '#/properties/v', '#/$defs/a'),
    {
      maxKeys: 3,
    },
  );
  const schema = fc
    .tuple(leaf, leaf, fc.constantFrom('items', 'not', 'additionalProperties'))
    .map(([outer, inner, key]) => ({
      ...outer,
      [key]: inner,
    }));
  await fc.assert(
    fc.asyncProperty(schema, fc.boolean(), async (part, isOld) => {
      const root = { ...(isOld && DRAFT_07), ...inProperty(part) };
      if ((await findSchemaFaults(root)).length > 0) return;
      const check = createSchemaCheck(root);
      for (const value of [null, { v: 1 }, { v: { v: [{ v: 'a' }] } }]) await check(value);
    }),
    { numRuns: 400 / inject('runsDivisor') },
  );
});
