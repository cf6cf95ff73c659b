import { parentPort } from 'node:worker_threads';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isMultipleOf, isObject } from '../../text/index.ts';
import { draftOf } from './schema-draft.ts';
import type { SchemaAnswer, SchemaTask } from './schema-thread.ts';

// The script of the thread that checks values against the JSON Schemas of users.

/** In a value with more members than this, or nested deeper, only the first fault is looked for. */
const MAX_MEMBERS = 5_000;
const MAX_DEPTH = 8;

interface Checks {
  readonly schema: object;
  first?: ValidateFunction;
  every?: ValidateFunction;
}

const checks = new Map<number, Checks>();

parentPort?.on('message', (task: SchemaTask) => parentPort?.postMessage(answer(task)));

function answer(task: SchemaTask): SchemaAnswer {
  try {
    const errors = validate(task);
    return { errors, hasMore: !task.findsAll && errors.length > 0 && isSmall(task.value) };
  } catch (error) {
    // The stack overflows on what is nested too deeply, or of a pattern that backtracks too far.
    return { fault: (error as Error).message, isTooLarge: error instanceof RangeError };
  }
}

function validate({ id, schema, value, findsAll }: SchemaTask): readonly ErrorObject[] {
  if (schema) checks.set(id, { schema });
  const known = checks.get(id) as Checks;
  if (findsAll) known.every ??= compile(known.schema, true);
  else known.first ??= compile(known.schema, false);
  const check = (findsAll ? known.every : known.first) as ValidateFunction;
  return check(value) ? [] : (check.errors ?? []);
}

/** `allErrors` collects all faults, which may take memory and time without limit for a large value. */
function compile(schema: object, allErrors: boolean): ValidateFunction {
  const { $schema, ...unnamed } = schema as { $schema?: unknown };
  const draft = draftOf($schema);
  // With ownProperties, a name such as `constructor` is not a member of every object.
  const options: Options = { allErrors, strict: false, validateFormats: false, logger: false, ownProperties: true };
  const ajv = draft === '07' ? new Ajv(options) : new Ajv2020(options);
  for (const { keyword, type, schemaType, check } of KEYWORDS) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, type, schemaType, compile: check, errors: true });
  }
  try {
    // ajv knows a draft by one spelling of its address only, so the address stays only if no draft was recognized.
    return ajv.compile(draft === undefined ? schema : unnamed);
  } catch (error) {
    // The metaschema of draft 2020-12 consists of parts, each of which reports the same fault.
    const faults = new Set((error as Error).message.split(', '));
    throw new Error([...faults].join(', '), { cause: error });
  }
}

/** Keywords that ajv checks in another way than we need. */
const KEYWORDS = [
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    check: (of: number) =>
      withFault((value) => (isMultipleOf(value as number, of) ? undefined : `must be multiple of ${of}`)),
  },
  {
    // ajv compares each object with each other one.
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    check: (isOn: boolean) => withFault((items) => (isOn ? findRepeated(items as unknown[]) : undefined)),
  },
] as const;

interface KeywordCheck {
  (value: unknown): boolean;
  errors?: Partial<ErrorObject>[];
}

function withFault(faultOf: (value: unknown) => string | undefined): KeywordCheck {
  const check: KeywordCheck = (value) => {
    const message = faultOf(value);
    if (message !== undefined) check.errors = [{ message, params: {} }];
    return message === undefined;
  };
  return check;
}

function findRepeated(items: readonly unknown[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const text = JSON.stringify(item, sortKeys) ?? '';
    const before = seen.get(text);
    if (before !== undefined) return `must NOT have duplicate items (items ${before} and ${at} are identical)`;
    seen.set(text, at);
  }
  return undefined;
}

/** Objects are equal no matter what the order of their keys. */
function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isSmall(value: unknown): boolean {
  let level: unknown[] = [value];
  let room = MAX_MEMBERS;
  for (let depth = 0; level.length > 0; depth++) {
    room -= level.length;
    if (depth > MAX_DEPTH || room < 0) return false;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return true;
}
