import type { ErrorObject } from 'ajv';
import { nearestName, ToolError } from '../../errors/index.ts';
import { isObject } from '../../text/index.ts';
import type { Input, InputOf, JsonSchema } from './input.ts';
import { dropNulls } from './repair-values.ts';
import { describeErrors, unknownKey } from './schema-errors.ts';
import { createValidator } from './schema-thread.ts';

const MAX_NAMED = 20;
const SLOW =
  'send less, or ask the user to fix inputSchema: a pattern such as (a+)+, or a choice within a choice, takes long';

/**
 * Makes the input of a tool from a JSON Schema that a user wrote: draft 2020-12, or draft-07 if `$schema` says so.
 * Defaults are not filled in. Null for an optional argument counts as absent, unless the schema allows it. `parse`
 * throws `invalid_args`, `timeout`, and an Error if the schema itself is wrong.
 */
export function jsonSchemaInput(schema: object, of: InputOf): Input {
  const validate = createValidator(schema);
  return {
    isExact: true,
    schema: () => schema as JsonSchema,
    parse: async (sent) => {
      if (!isObject(sent)) throw invalidArgs(of, schema as JsonSchema, [NOT_AN_OBJECT]);
      const args = dropNulls(schema, sent);
      const errors = await validate(args).catch((error: unknown) => {
        if (!(error instanceof ToolError)) throw error;
        const message = `${of.name}: its arguments could not be checked, so it did not run: ${error.message}`;
        throw new ToolError('timeout', message, { suggestion: SLOW, cause: error });
      });
      if (errors.length > 0) throw invalidArgs(of, schema as JsonSchema, errors);
      return args;
    },
  };
}

/** Returns a sentence for each of the first faults. Rejects if the schema is wrong, or the check takes too long. */
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

function invalidArgs({ name, examples }: InputOf, schema: JsonSchema, errors: readonly ErrorObject[]): ToolError {
  const unknown = errors.filter(({ instancePath }) => instancePath === '').map(unknownKey);
  const known = Object.keys(schema.properties ?? {});
  const near = unknown.map((key) => key && nearestName(key, known)).find(Boolean);
  const [args] = examples;
  const fallback = args === undefined ? nameArguments(name, schema) : undefined;
  const suggestion = near === undefined ? fallback : `did you mean "${near}"?`;
  return new ToolError('invalid_args', `${name}: ${describeErrors(errors, 'argument').join('; ')}`, {
    ...(suggestion !== undefined && { suggestion }),
    ...(args !== undefined && { example: { tool: name, args } }),
  });
}

/** The tool that shows the schema need not be served. */
function nameArguments(tool: string, { properties, required = [] }: JsonSchema): string | undefined {
  const names = Object.keys(properties ?? {});
  if (names.length === 0) return undefined;
  const shown = names
    .slice(0, MAX_NAMED)
    .map((name) => `${name.slice(0, 60)}${required.includes(name) ? ' (required)' : ''}`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `the arguments of ${tool} are: ${shown.join(', ')}${more}`;
}
