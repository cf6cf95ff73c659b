import type * as Zod from 'zod/mini';
import { isObject } from '../text/index.ts';
import type { InputOf, JsonSchema } from './input/input.ts';
import type {
  ArgsSchema,
  Effect,
  Tool,
  ToolAction,
  ToolContext,
  ToolFacts,
  ToolOutput,
  ZodInput,
  ZodTool,
} from './tool.ts';
import type { FixedEntry, FixedToolset } from './toolset.ts';

const KNOWN = new Set(
  [
    'type description properties required items enum default minimum maximum minLength minItems maxItems',
    'additionalProperties',
  ]
    .join(' ')
    .split(' '),
);

type ToolDefinition<S extends ArgsSchema> = Omit<ToolFacts, 'input'> & {
  /** The only statement of the arguments. A function, so that a call need not load zod. */
  input(z: typeof Zod): S;
} & ToolAction<Zod.output<S>>;

/** Makes a tool of its definition. The types of `run` and `prepare` follow from `input`. */
export function defineTool<S extends ArgsSchema>(definition: ToolDefinition<S>): ZodTool<S> {
  const { name, examples, input } = definition;
  return { ...definition, input: zodInput(input, { name, examples }) };
}

/** Runs a tool as a part of another one. It must be one that asks the user nothing. */
export async function runPart<S extends ArgsSchema>(
  { name, run }: ZodTool<S>,
  args: Zod.output<S>,
  ctx: ToolContext,
): Promise<ToolOutput> {
  if (!run) throw new Error(`${name} may ask a user`);
  return run(args as never, ctx);
}

/** Makes a tool that changes its arguments before they are checked. The schema does not show it and costs no tokens. */
export function mapArgs(tool: ZodTool, map: (args: Record<string, unknown>) => Record<string, unknown>): ZodTool {
  const { input } = tool;
  const mapped = (args: unknown) => (isObject(args) ? map(args) : args);
  return {
    ...tool,
    input: {
      build: input.build,
      schema: () => input.schema(),
      parse: (args) => input.parse(mapped(args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(mapped(args)) };
      },
    },
  };
}

/** zod is loaded only to make a schema or to format an error. */
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
 * Accepts plain arguments without loading zod, which would take a sixth of the time of a one-shot call. Returns what
 * the zod schema would return, or undefined if zod must decide and make the error. It may only ever be stricter than
 * zod. A property test over all tools checks that.
 */
export function acceptArgs(schema: JsonSchema, value: unknown): object | undefined {
  const accepted = accept(schema, value);
  return typeof accepted === 'object' && accepted !== null ? accepted : undefined;
}

const understood = new WeakSet<JsonSchema>();
const defaultsOf = new WeakMap<object, readonly (readonly [name: string, value: unknown])[]>();

function isUnderstood(schema: JsonSchema): boolean {
  if (understood.has(schema)) return true;
  if (!Object.keys(schema).every((key) => KNOWN.has(key))) return false;
  understood.add(schema);
  return true;
}

function accept(schema: JsonSchema, value: unknown): unknown {
  if (!isUnderstood(schema)) return undefined;
  if (schema.enum !== undefined) return schema.enum.includes(value) ? value : undefined;
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && value.length >= (schema.minLength ?? 0) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? inRange(schema, value as number) : undefined;
    case 'number':
      return Number.isFinite(value) ? inRange(schema, value as number) : undefined;
    case 'array':
      return Array.isArray(value) ? acceptItems(schema, value) : undefined;
    case 'object':
      return isObject(value) ? acceptMembers(schema, value) : undefined;
    default:
      return undefined;
  }
}

function inRange({ minimum = -Infinity, maximum = Infinity }: JsonSchema, value: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

function acceptItems({ items, minItems = 0, maxItems = Infinity }: JsonSchema, values: readonly unknown[]): unknown {
  if (items === undefined || values.length < minItems || values.length > maxItems) return undefined;
  const accepted = values.map((value) => accept(items, value));
  return accepted.includes(undefined) ? undefined : accepted;
}

/** Records and open objects are left to zod. */
function acceptMembers(
  { properties, required = [], additionalProperties }: JsonSchema,
  given: Record<string, unknown>,
): unknown {
  if (properties === undefined || additionalProperties !== false) return undefined;
  const accepted: Record<string, unknown> = {};
  for (const key in given) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (schema === undefined) return undefined;
    if (!Object.hasOwn(given, key)) continue;
    accepted[key] = accept(schema, given[key]);
    if (accepted[key] === undefined) return undefined;
  }
  for (const [key, value] of findDefaults(properties)) if (!Object.hasOwn(accepted, key)) accepted[key] = value;
  return required.every((key) => Object.hasOwn(accepted, key)) ? accepted : undefined;
}

function findDefaults(properties: NonNullable<JsonSchema['properties']>) {
  const known = defaultsOf.get(properties);
  if (known) return known;
  const all = Object.entries(properties).map(([key, schema]) => [key, schema.default] as const);
  const found = all.filter(([, value]) => value !== undefined);
  defaultsOf.set(properties, found);
  return found;
}

/**
 * Makes a function that opens something at its first call and returns it from then on. It tries again after a failure.
 */
export function lazy<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
}

type ExportName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<ExportName<Tail>>}`
  : Name;

type ToolImports<Name extends string> = {
  readonly [Key in Name]: readonly [
    effect: Effect,
    module: () => Promise<{ readonly [Export in ExportName<Key>]: ZodTool }>,
    schema: () => Promise<{ readonly default: unknown }>,
  ];
};

type LoadWrap = () => Promise<(tool: ZodTool, schema: JsonSchema) => ZodTool>;

/** Returns a toolset of tools by name. None is loaded before it is called or listed. */
export function fixedToolset<Name extends string>(
  name: string,
  imports: ToolImports<Name>,
  loadWrap?: LoadWrap,
): FixedToolset<FixedEntry> {
  const tools = (Object.keys(imports) as Name[]).map((tool) => fixedEntry(tool, imports[tool], loadWrap));
  return { name, tools };
}

function fixedEntry<Name extends string>(
  name: Name,
  [effect, loadModule, loadSchema]: ToolImports<Name>[Name],
  loadWrap: LoadWrap | undefined,
): FixedEntry {
  const readSchema = async () => (await loadSchema()).default as JsonSchema;
  const loadDefinition = async () => {
    const module: Readonly<Record<string, ZodTool>> = await loadModule();
    const tool = module[name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())] as ZodTool;
    return loadWrap ? (await loadWrap())(tool, await readSchema()) : tool;
  };
  return {
    name,
    effect,
    loadSchema: readSchema,
    // Calls take the same object: to make one for each would take a tenth of a short call.
    load: lazy(async (): Promise<Tool> => {
      const tool = await loadDefinition();
      return { ...tool, input: tool.input.withSchema(await readSchema()) };
    }),
    loadDefinition,
  };
}
