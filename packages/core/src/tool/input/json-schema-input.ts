import type { ErrorObject } from 'ajv';
import { nearestName, ToolError } from '../../errors/index.ts';
import type { Input, InputOf, JsonSchema } from './input.ts';
import { dropNulls } from './repair-values.ts';
import { describeErrors, unknownKey } from './schema-errors.ts';
import { createValidator } from './schema-thread.ts';

/** The most arguments that an error names. */
const MAX_NAMED = 20;

/**
 * Makes the input of a tool from a JSON Schema that a user wrote: draft 2020-12, or draft-07 if `$schema` says so.
 * Hosts are shown the schema as it stands. Checks run on a thread of their own. Defaults are not filled in; null for an
 * optional argument counts as absent, unless the schema allows it. `parse` throws `invalid_args` for arguments that do
 * not fit, `timeout` if the check takes too long, and an Error if the schema itself is wrong.
 */
export function jsonSchemaInput(schema: object, of: InputOf): Input {
  const validate = createValidator(schema);
  return {
    isExact: true,
    schema: () => schema as JsonSchema,
    parse: async (sent) => {
      if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
        throw invalidArgs(of, schema as JsonSchema, [NOT_AN_OBJECT]);
      }
      const args = dropNulls(schema, sent);
      const errors = await validate(args).catch((error: unknown) => {
        throw error instanceof ToolError ? tooSlow(of, error) : error;
      });
      if (errors.length > 0) throw invalidArgs(of, schema as JsonSchema, errors);
      return args;
    },
  };
}

/**
 * Makes a check of values against a JSON Schema that a user wrote. It returns a sentence for each of the first faults.
 * It rejects with an Error if the schema itself is wrong, or the check takes too long.
 */
export function createSchemaCheck(schema: object): (value: unknown) => Promise<readonly string[]> {
  const validate = createValidator(schema);
  return async (value) => describeErrors(await validate(value), 'member');
}

const NOT_AN_OBJECT: ErrorObject = {
  keyword: 'type',
  instancePath: '',
  schemaPath: '#/type',
  params: {},
  message: 'must be object',
};

function tooSlow({ name }: InputOf, error: ToolError): ToolError {
  return new ToolError('timeout', `${name}: its arguments could not be checked, so it did not run: ${error.message}`, {
    suggestion:
      'send less, or ask the person to mend inputSchema: a pattern such as (a+)+, or a choice within a choice, takes long',
    cause: error,
  });
}

function invalidArgs({ name, examples }: InputOf, schema: JsonSchema, errors: readonly ErrorObject[]): ToolError {
  const near = errors.map((error) => nearestTo(error, schema)).find((found) => found !== undefined);
  const [args] = examples;
  const fallback = args === undefined ? nameArguments(name, schema) : undefined;
  const suggestion = near === undefined ? fallback : `did you mean "${near}"?`;
  return new ToolError('invalid_args', `${name}: ${describeErrors(errors, 'argument').join('; ')}`, {
    ...(suggestion !== undefined && { suggestion }),
    ...(args !== undefined && { example: { tool: name, args } }),
  });
}

/** Lists the arguments of a schema. The tool that shows the schema need not be served. */
function nameArguments(tool: string, { properties, required = [] }: JsonSchema): string | undefined {
  const names = Object.keys(properties ?? {});
  if (names.length === 0) return undefined;
  const shown = names
    .slice(0, MAX_NAMED)
    .map((name) => `${name.slice(0, 60)}${required.includes(name) ? ' (required)' : ''}`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `the arguments of ${tool} are: ${shown.join(', ')}${more}`;
}

/** Returns the argument that an unknown one at the top probably stands for. */
function nearestTo(error: ErrorObject, schema: JsonSchema): string | undefined {
  const key = error.instancePath === '' ? unknownKey(error) : undefined;
  return key === undefined ? undefined : nearestName(key, Object.keys(schema.properties ?? {}));
}
