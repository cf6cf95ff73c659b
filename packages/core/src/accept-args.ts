/** The part of JSON Schema that tools use; made from zod. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | JsonSchema;
}

const KNOWN = new Set(
  [
    'type description properties required items enum default minimum maximum minLength minItems maxItems',
    'additionalProperties',
  ]
    .join(' ')
    .split(' '),
);

/**
 * Accepts plain arguments without loading zod, which would cost a one-shot call a sixth of its time. Gives what the
 * zod schema would give, or undefined for anything that it may not accept as it stands: then zod decides and words
 * the error. It may only ever be stricter than zod; a property test over all tools holds that.
 */
export function acceptArgs(schema: JsonSchema, value: unknown): object | undefined {
  const accepted = accept(schema, value);
  return typeof accepted === 'object' && accepted !== null ? accepted : undefined;
}

function accept(schema: JsonSchema, value: unknown): unknown {
  if (!Object.keys(schema).every((key) => KNOWN.has(key))) return undefined;
  if (schema.enum !== undefined) return schema.enum.includes(value) ? value : undefined;
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? longEnough(schema, value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? inRange(schema, value as number) : undefined;
    case 'number':
      return Number.isFinite(value) ? inRange(schema, value as number) : undefined;
    case 'array':
      return Array.isArray(value) ? acceptItems(schema, value) : undefined;
    case 'object':
      return isPlainObject(value) ? acceptMembers(schema, value) : undefined;
    default:
      return undefined;
  }
}

function longEnough({ minLength = 0 }: JsonSchema, value: string): string | undefined {
  return value.length >= minLength ? value : undefined;
}

function inRange({ minimum = -Infinity, maximum = Infinity }: JsonSchema, value: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

function acceptItems({ items, minItems = 0, maxItems = Infinity }: JsonSchema, values: readonly unknown[]): unknown {
  if (items === undefined || values.length < minItems || values.length > maxItems) return undefined;
  const accepted = values.map((value) => accept(items, value));
  return accepted.includes(undefined) ? undefined : accepted;
}

/** Closed objects only; records and open objects are left to zod. */
function acceptMembers({ properties, required = [], additionalProperties }: JsonSchema, value: object): unknown {
  if (properties === undefined || additionalProperties !== false) return undefined;
  const given = value as Record<string, unknown>;
  for (const key in given) if (!Object.hasOwn(properties, key)) return undefined;
  const accepted: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(properties)) {
    if (Object.hasOwn(given, key)) {
      accepted[key] = accept(schema, given[key]);
      if (accepted[key] === undefined) return undefined;
    } else if (schema.default !== undefined) accepted[key] = schema.default;
    else if (required.includes(key)) return undefined;
  }
  return accepted;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
