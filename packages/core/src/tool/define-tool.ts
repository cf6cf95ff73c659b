import type * as Zod from 'zod/mini';
import { ToolError } from '../errors/index.ts';
import type { InputOf, JsonSchema } from './input/input.ts';
import type { ArgsSchema, Tool, ToolAction, ToolContext, ToolFacts, ToolOutput, ZodInput, ZodTool } from './tool.ts';
import type {
  FixedEntry,
  FixedToolset,
  LeftOutTool,
  LiveToolset,
  ToolEntry,
  ToolIndex,
  Toolset,
  ToolsetLook,
} from './toolset.ts';

/** The keywords of a schema that `acceptArgs` understands. */
const KNOWN = new Set(
  [
    'type description properties required items enum default minimum maximum minLength minItems maxItems',
    'additionalProperties',
  ]
    .join(' ')
    .split(' '),
);

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

/** Makes the input of a tool from its zod schema. zod is loaded only to make a schema or to format an error. */
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
 * the zod schema would return, or undefined if the arguments may not fit as they stand: then zod decides and makes the
 * error. It may only ever be stricter than zod; a property test over all tools holds that.
 */
export function acceptArgs(schema: JsonSchema, value: unknown): object | undefined {
  const accepted = accept(schema, value);
  return typeof accepted === 'object' && accepted !== null ? accepted : undefined;
}

/** The schemas of which every keyword is known. */
const understood = new WeakSet<JsonSchema>();
/** What absent members are, by the list of members. */
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

/** Accepts the members of closed objects; records and open objects are left to zod. */
function acceptMembers({ properties, required = [], additionalProperties }: JsonSchema, value: object): unknown {
  if (properties === undefined || additionalProperties !== false) return undefined;
  const given = value as Record<string, unknown>;
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

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name by which a module exports a tool: `editFile` for `edit_file`. */
type ExportName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<ExportName<Tail>>}`
  : Name;

/** How to load tools by name: the module that exports each, and the schema that was generated from it. */
type ToolImports<Name extends string> = {
  readonly [Key in Name]: readonly [
    module: () => Promise<{ readonly [Export in ExportName<Key>]: ZodTool }>,
    schema: () => Promise<{ readonly default: unknown }>,
  ];
};

export interface FixedToolsetOptions {
  /** Loads a function that wraps each tool. It gets the generated schema too. */
  readonly loadWrap?: () => Promise<(tool: ZodTool, schema: JsonSchema) => ZodTool>;
}

/** Returns a toolset of tools by name. None is loaded before it is called or listed. */
export function fixedToolset<Name extends string>(
  name: string,
  imports: ToolImports<Name>,
  options: FixedToolsetOptions = {},
): FixedToolset<FixedEntry> {
  const tools = (Object.keys(imports) as Name[]).map((tool) => fixedEntry(tool, imports[tool], options));
  return { name, tools };
}

function fixedEntry<Name extends string>(
  name: Name,
  [loadModule, loadSchema]: ToolImports<Name>[Name],
  { loadWrap }: FixedToolsetOptions,
): FixedEntry {
  const loadBoth = async () => {
    const module: Readonly<Record<string, ZodTool>> = await loadModule();
    const tool = module[name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())] as ZodTool;
    const schema = (await loadSchema()).default as JsonSchema;
    return { tool: loadWrap ? (await loadWrap())(tool, schema) : tool, schema };
  };
  const loadChecked = async (): Promise<Tool> => {
    const { tool, schema } = await loadBoth();
    return { ...tool, input: tool.input.withSchema(schema) };
  };
  // Calls take the same object: to make one for each would take a tenth of a short call.
  let loaded: Tool | undefined;
  return {
    name,
    load: async () => {
      loaded ??= await loadChecked();
      return loaded;
    },
    loadDefinition: async () => (await loadBoth()).tool,
  };
}

/**
 * Joins toolsets. Throws a ToolError if two fixed ones have a tool of the same name. A tool of a live one whose name is
 * taken is left out: none of the two is chosen silently.
 */
export function joinToolsets(toolsets: readonly Toolset[]): ToolIndex {
  const live = toolsets.filter((toolset) => 'look' in toolset);
  const fixed = joinFixed(toolsets.filter((toolset) => 'tools' in toolset));
  const look = () => lookAt(fixed, live);
  const findFixed = (name: string) => fixed.get(name)?.entry;
  return {
    findFixed,
    find: async (name) => {
      const known = findFixed(name);
      return known || live.length === 0 ? known : (await look()).tools.find((entry) => entry.name === name);
    },
    look,
    watch: (onChange) => {
      const ends = live.map((toolset) => toolset.watch?.(onChange));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

interface OwnedEntry {
  readonly toolset: string;
  readonly entry: ToolEntry;
}

function joinFixed(toolsets: readonly FixedToolset[]): ReadonlyMap<string, OwnedEntry> {
  const entries = new Map<string, OwnedEntry>();
  for (const { name: toolset, tools } of toolsets) {
    for (const entry of tools) {
      const owner = entries.get(entry.name);
      if (owner) throw clash(entry.name, owner.toolset, toolset);
      entries.set(entry.name, { toolset, entry });
    }
  }
  return entries;
}

function clash(name: string, first: string, second: string): ToolError {
  return new ToolError('invalid_request', `the toolsets ${first} and ${second} both have a tool named ${name}`, {
    suggestion: 'serve one of them in this process, and the other in a second one',
  });
}

async function lookAt(fixed: ReadonlyMap<string, OwnedEntry>, live: readonly LiveToolset[]): Promise<ToolsetLook> {
  const entries = new Map(fixed);
  const leftOut: LeftOutTool[] = [];
  for (const toolset of live) {
    const found = await toolset.look();
    leftOut.push(...found.leftOut);
    for (const entry of found.tools) {
      const owner = entries.get(entry.name);
      if (owner) leftOut.push(toClash(toolset.name, entry, owner));
      else entries.set(entry.name, { toolset: toolset.name, entry });
    }
  }
  return { tools: [...entries.values()].map(({ entry }) => entry), leftOut };
}

function toClash(toolset: string, { name, from }: ToolEntry, owner: OwnedEntry): LeftOutTool {
  const origin = from === undefined ? '' : ` of ${from}`;
  const reason = `${toolset}: the tool ${name}${origin} is left out: ${owner.toolset} has one of that name`;
  return { names: [name], reason };
}
