import type { ErrorObject, ValidateFunction } from 'ajv';
import { ToolError } from './errors.ts';
import type { Input, InputOf, JsonSchema } from './input.ts';
import { nearestName } from './nearest.ts';

const MAX_FAULTS = 5;
/** The most arguments that an error names. */
const MAX_NAMED = 20;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
/** The address without a draft means the newest one. */
const DRAFT_2020_12 = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12\/)?schema#?$/;

/**
 * Makes the input of a tool from a JSON Schema that a user wrote: draft 2020-12, or draft-07 if `$schema` says so. Hosts
 * are shown the schema as it stands. ajv is loaded at the first check. Defaults are not filled in. `parse` throws
 * `invalid_args` for arguments that do not fit, and an Error if the schema itself is wrong.
 */
export function jsonSchemaInput(schema: object, of: InputOf): Input {
  let validate: Promise<ValidateFunction> | undefined;
  return {
    schema: () => schema as JsonSchema,
    parse: async (args) => {
      validate ??= compile(schema);
      const check = await validate;
      if (typeof args === 'object' && args !== null && !Array.isArray(args) && check(args)) return args;
      throw invalidArgs(of, schema as JsonSchema, check.errors ?? [NOT_AN_OBJECT]);
    },
  };
}

/**
 * Makes a check of values against a JSON Schema that a user wrote. It returns what is wrong, a sentence for each of the
 * first faults. It rejects with an Error if the schema itself is wrong.
 */
export function createSchemaCheck(schema: object): (value: unknown) => Promise<readonly string[]> {
  let validate: Promise<ValidateFunction> | undefined;
  return async (value) => {
    validate ??= compile(schema);
    const check = await validate;
    return check(value) ? [] : (check.errors ?? []).slice(0, MAX_FAULTS).map((error) => describe(error, 'member'));
  };
}

const NOT_AN_OBJECT = { keyword: 'type', instancePath: '', params: {}, message: 'must be object' } as ErrorObject;

/** Compiles a schema; throws an Error that says what is wrong with it. It never fetches another schema. */
async function compile(schema: object): Promise<ValidateFunction> {
  const { $schema, ...unnamed } = schema as { $schema?: unknown };
  const isDraft07 = DRAFT_07.test(String($schema));
  const { Ajv } = isDraft07 ? await import('ajv') : { Ajv: (await import('ajv/dist/2020.js')).Ajv2020 };
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, logger: false });
  // ajv knows a draft by one spelling of its address only, so the address stays only if no draft was recognized.
  return ajv.compile(isKnownDraft($schema) ? unnamed : schema);
}

/** True for what `$schema` may say: draft 2020-12, draft-07, draft-06 that is read as draft-07, or nothing. */
export function isKnownDraft($schema: unknown = ''): boolean {
  return $schema === '' || DRAFT_07.test(String($schema)) || DRAFT_2020_12.test(String($schema));
}

function invalidArgs({ name, examples }: InputOf, schema: JsonSchema, errors: readonly ErrorObject[]): ToolError {
  const faults = errors.slice(0, MAX_FAULTS).map((error) => describe(error, 'argument'));
  const near = errors.map((error) => nearestTo(error, schema)).find((found) => found !== undefined);
  const [args] = examples;
  const fallback = args === undefined ? nameArguments(name, schema) : undefined;
  const suggestion = near === undefined ? fallback : `did you mean "${near}"?`;
  return new ToolError('invalid_args', `${name}: ${faults.join('; ')}`, {
    ...(suggestion !== undefined && { suggestion }),
    ...(args !== undefined && { example: { tool: name, args } }),
  });
}

/** Names the arguments that a schema lists. The tool that shows the schema need not be served. */
function nameArguments(tool: string, { properties, required = [] }: JsonSchema): string | undefined {
  const names = Object.keys(properties ?? {});
  if (names.length === 0) return undefined;
  const shown = names
    .slice(0, MAX_NAMED)
    .map((name) => `${name.slice(0, 60)}${required.includes(name) ? ' (required)' : ''}`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `the arguments of ${tool} are: ${shown.join(', ')}${more}`;
}

function describe(
  { instancePath, keyword, params, message = 'is not valid' }: ErrorObject,
  member: 'argument' | 'member',
): string {
  const at = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') {
    const key = JSON.stringify(String(params['additionalProperty']).slice(0, 60));
    return `unknown ${member} ${at && `in ${at}: `}${key}`;
  }
  if (keyword === 'required') {
    const missing = String(params['missingProperty']);
    return `missing required ${member} ${at ? `${at}.${missing}` : missing}`;
  }
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues'])}` : '';
  return `${at || (member === 'argument' ? 'args' : 'it')}: ${message}${allowed}`;
}

/** Returns the argument that an unknown one at the top was probably meant to be. */
function nearestTo({ keyword, instancePath, params }: ErrorObject, schema: object): string | undefined {
  if (keyword !== 'additionalProperties' || instancePath !== '') return undefined;
  const { properties = {} } = schema as JsonSchema;
  return nearestName(String(params['additionalProperty']), Object.keys(properties));
}
