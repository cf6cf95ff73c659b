import { createSchemaCheck } from '@jinn/core';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { findSchemaFault, isPlainSchema } from './schema-faults.ts';

const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const inProperty = (schema: unknown) => ({ type: 'object', properties: { v: schema } });

test.each<[object, string]>([
  [{ $ref: '#/$defs/nope' }, 'properties.v.$ref: "#/$defs/nope" leads nowhere'],
  [{ $ref: '#/properties/v/items' }, 'properties.v.$ref: "#/properties/v/items" leads nowhere'],
  [{ $ref: 'http://example.com/x' }, "properties.v: can't resolve reference http://example.com/x"],
  [{ $ref: 'other.json#/a' }, "properties.v: can't resolve reference other.json#/a"],
  [{ $ref: '#/%ff' }, 'leads nowhere'],
  [{ $ref: 1 }, 'properties.v.$ref must be string'],
  [{ $ref: '#nope' }, "can't resolve reference #nope"],
  [{ $ref: '#/properties' }, ''],
  [{ items: [{ type: 'string' }] }, 'properties.v.items must be object'],
  [{ $ref: '#/properties/v' }, 'properties.v: it refers to itself without a step into the value'],
  [{ anyOf: [{ type: 'string' }, { not: { $ref: '#/properties/v' } }] }, 'refers to itself'],
  [{ minLength: '3' }, 'properties.v.minLength must be integer'],
  [{ maximum: '3' }, 'properties.v.maximum must be number'],
  [{ multipleOf: 0 }, 'properties.v.multipleOf must be > 0'],
  [{ uniqueItems: 'yes' }, 'properties.v.uniqueItems must be boolean'],
  [{ enum: 'a' }, 'properties.v.enum must be array'],
  [{ required: ['a', 'a'] }, 'properties.v.required must NOT have duplicate items'],
  [{ dependentRequired: { a: 'b' } }, 'properties.v.dependentRequired.a must be array'],
  [{ additionalProperties: [] }, 'properties.v.additionalProperties must be object'],
  [{ anyOf: [] }, 'properties.v.anyOf must NOT have fewer than 1 items'],
  [{ title: 1 }, 'properties.v.title must be string'],
  [{ type: [] }, 'properties.v.type must be equal to one of the allowed values'],
  [{ $id: 1 }, '$id'],
  [{ $anchor: '1 2' }, 'anchor'],
])('finds what is wrong with %j', async (schema, fault) => {
  const found = await findSchemaFault(inProperty(schema));
  if (fault === '') expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

test('refuses a schema that ajv would not check', async () => {
  expect(await findSchemaFault({ $async: true, required: ['a'] })).toBe('$async is not a keyword of JSON Schema');
});

test.each<[object]>([
  [{ $ref: '#' }],
  [{ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }],
  [{ dependentSchemas: { a: { $ref: '#' } } }],
  [JSON.parse('{"if": {"required": ["a"]}, "then": {"$ref": "#"}}')],
])('finds that %j would be checked for ever', async (schema) => {
  expect(await findSchemaFault(schema)).toContain('refers to itself');
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
  expect(await findSchemaFault(schema)).toBeUndefined();
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

test('what is plain can be compiled', { timeout: 60_000 }, async () => {
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
      const schema = inProperty(part);
      if (!isPlainSchema(schema, schema) || (await findSchemaFault(schema)) !== undefined) return;
      const check = createSchemaCheck({ ...(isOld && DRAFT_07), ...schema });
      for (const value of [null, { v: 1 }, { v: { v: [{ v: 'a' }] } }]) await check(value);
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
});
