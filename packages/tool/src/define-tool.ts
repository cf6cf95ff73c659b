import type * as Zod from 'zod/mini';
import type { Input, InputOf, JsonSchema } from './input/input.ts';
import type { ToolAction, ToolContext, ToolFacts, ToolOutput } from './tool.ts';

/** The keywords of a schema that `acceptArgs` understands. */
const KNOWN = new Set(
  [
    'type description properties required items enum default minimum maximum minLength minItems maxItems',
    'additionalProperties',
  ]
    .join(' ')
    .split(' '),
);

/** A tool whose arguments are stated in zod. */
export type ZodTool<S extends ArgsSchema = ArgsSchema> = ToolFacts & {
  readonly input: ZodInput<S>;
} & ToolAction<never>;

/** The zod object schema of a tool's arguments. */
export type ArgsSchema = Zod.ZodMiniObject;

export interface ZodInput<S extends ArgsSchema = ArgsSchema> extends Input {
  /** Builds the schema, for a tool that takes the arguments of another one and more. */
  build(z: typeof Zod): S;
  /** Returns the same input with the schema that was generated from it, which spares a call to load zod. */
  withSchema(generated: JsonSchema): Input;
}

type ToolDefinition<S extends ArgsSchema> = Omit<ToolFacts, 'input'> & {
  /** Builds the schema, the only statement of the arguments. A function, so that a call need not load zod. */
  input(z: typeof Zod): S;
} & ToolAction<Zod.output<S>>;

/** Makes a tool of its definition; the types of `run` and `prepare` follow from `input`. */
export function defineTool<S extends ArgsSchema>(definition: ToolDefinition<S>): ZodTool<S> {
  const { name, examples, input } = definition;
  return { ...definition, input: zodInput(input, { name, examples }) };
}

/** Runs a tool as a part of another one. It must be one that asks a person nothing. */
export async function runPart<S extends ArgsSchema>(
  { name, run }: ZodTool<S>,
  args: Zod.output<S>,
  ctx: ToolContext,
): Promise<ToolOutput> {
  if (!run) throw new Error(`${name} may ask a person`);
  return run(args as never, ctx);
}

/** Makes the input of a tool from its zod schema. zod is loaded only to make a schema or to word an error. */
function zodInput<S extends ArgsSchema>(build: (z: typeof Zod) => S, of: InputOf): ZodInput<S> {
  const schema = async () => (await import('./input/json-schema.ts')).toJsonSchema(build);
  const parse = async (by: JsonSchema, sent: unknown) => {
    const args = (await import('./input/read-args.ts')).readArgs(by, sent, of.name);
    return acceptArgs(by, args) ?? (await import('./input/parse-args.ts')).parseArgs(build, args, of);
  };
  return {
    build,
    schema,
    parse: async (args) => parse(await schema(), args),
    withSchema: (generated) => ({
      schema: () => generated,
      parse: (args) => acceptArgs(generated, args) ?? parse(generated, args),
    }),
  };
}

/**
 * Accepts plain arguments without loading zod, which would take a sixth of the time of a one-shot call. Returns what the
 * zod schema would return, or undefined if the arguments may not fit as they stand: then zod decides and words the
 * error. It may only ever be stricter than zod; a property test over all tools holds that.
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

/** Accepts closed objects only; records and open objects are left to zod. */
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
