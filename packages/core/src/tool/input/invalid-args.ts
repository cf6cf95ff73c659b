import type * as z from 'zod/mini';
import { type ExampleCall, nearestName, ToolError } from '../../errors/index.ts';
import type { ArgsSchema } from '../tool.ts';
import { nearestArgument } from './read-args.ts';

export type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 60;

interface Invalid {
  readonly input: ArgsSchema;
  readonly issues: readonly Issue[];
  readonly example?: ExampleCall;
  readonly called?: string;
}

/** Makes the error that names each fault, and the nearest right name. */
export function invalidArgs(name: string, { input, issues, example, called = 'argument' }: Invalid): ToolError {
  const nearest = issues.map((issue) => nearestTo(issue, input)).find((found) => found !== undefined);
  return new ToolError('invalid_args', `${name}: ${issues.map((issue) => describe(issue, called)).join('; ')}`, {
    ...(nearest !== undefined && { suggestion: `did you mean "${nearest}"?` }),
    ...(example && { example }),
  });
}

function nearestTo(issue: Issue, input: Schema): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const names = namesAt(input, issue.path);
    return issue.keys.map((name) => nearestArgument(name, names)).find((name) => name !== undefined);
  }
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return undefined;
  return nearestName(
    issue.input,
    issue.values.filter((value) => typeof value === 'string'),
  );
}

/** Returns the names of the members that an object may have at a path. */
export function namesAt(input: Schema, path: readonly PropertyKey[]): string[] {
  let schema: Schema | undefined = input;
  for (const key of path) {
    const { shape, element } = definitionOf(schema);
    schema = typeof key === 'number' ? element : shape?.[String(key)];
  }
  return Object.keys(definitionOf(schema).shape ?? {});
}

interface Schema {
  readonly _zod: { readonly def: object };
}

interface Definition {
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
}

function definitionOf(schema: Schema | undefined): Definition {
  const definition: Definition = schema?._zod.def ?? {};
  return definition.innerType ? definitionOf(definition.innerType) : definition;
}

function describe(issue: Issue, called: string): string {
  const at = issue.path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 60)));
    return `unknown ${called} ${at && `in ${at}: `}${keys.join(', ')}`;
  }
  if (issue.input === undefined) {
    if (issue.code === 'invalid_type' || issue.code === 'invalid_union') return `missing required ${called} ${at}`;
    if (issue.code === 'invalid_value') return `missing required ${called} ${at}: one of ${issue.values.join(', ')}`;
  }
  if (issue.code === 'invalid_union') return describeUnion(issue, at, called);
  return `${at || 'args'}: ${issue.message}${given(issue.input)}`;
}

function describeUnion(
  { errors, path, message, input }: z.core.$ZodIssueInvalidUnion,
  at: string,
  called: string,
): string {
  const faults = errors.flatMap(([first]) => first ?? []);
  const meant = faults.find(({ code, path: inside }) => code !== 'invalid_type' || inside.length > 0);
  if (meant) return describe({ ...meant, path: [...path, ...meant.path] }, called);
  const types = faults.map((fault) => (fault.code === 'invalid_type' ? fault.expected : ''));
  return `${at}: ${message}: expected ${types.join(' or ')}${given(input)}`;
}

function given(value: unknown): string {
  if (typeof value === 'string')
    return ` (given: ${JSON.stringify(value.slice(0, MAX_SHOWN))}${value.length > MAX_SHOWN ? '…' : ''})`;
  // JavaScript writes a number beyond 2^53 otherwise than it was sent.
  const isChanged = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' || value === undefined || isChanged ? '' : ` (given: ${String(value)})`;
}
