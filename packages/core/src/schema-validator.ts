import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { isMultipleOf } from './decimal.ts';
import { PatternMatcher } from './pattern-matcher.ts';

/** Of a value with more members than this, or nested deeper, only the first fault is looked for. */
const MAX_MEMBERS = 5_000;
const MAX_DEPTH = 8;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
/** The address without a draft means the newest one. */
const DRAFT_2020_12 = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12\/)?schema#?$/;

/** Returns what is wrong with a value. Rejects with SlowPattern, and with an Error if the schema itself is wrong. */
export type Validator = (value: unknown) => Promise<readonly ErrorObject[]>;

/** Which draft of JSON Schema an address names; draft-06 is read as draft-07. Undefined for an address that is not known. */
export function draftOf($schema: unknown = ''): '2020-12' | '07' | undefined {
  if ($schema === '' || DRAFT_2020_12.test(String($schema))) return '2020-12';
  return DRAFT_07.test(String($schema)) ? '07' : undefined;
}

/**
 * Makes a validator for a schema that a user wrote. ajv is loaded, and the schema compiled, at the first use. No other schema
 * is fetched. Its patterns never hold up the process.
 */
export function createValidator(schema: object): Validator {
  const matcher = new PatternMatcher();
  let first: Promise<ValidateFunction> | undefined;
  let every: Promise<ValidateFunction> | undefined;
  return async (value) => {
    first ??= compile(schema, matcher, false);
    const check = await first;
    const matches = matcher.begin();
    try {
      const errors = await matches.settle(() => run(check, value));
      if (errors.length === 0 || !isSmall(value)) return errors;
      every ??= compile(schema, matcher, true);
      const checkAll = await every;
      return await matches.settle(() => run(checkAll, value));
    } finally {
      matches.end();
    }
  };
}

function run(check: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return check(value) ? [] : (check.errors ?? []);
}

/** Compiles a schema. `allErrors` gathers all faults, which may take memory and time without limit for a large value. */
async function compile(schema: object, matcher: PatternMatcher, allErrors: boolean): Promise<ValidateFunction> {
  const { $schema, ...unnamed } = schema as { $schema?: unknown };
  const draft = draftOf($schema);
  const { Ajv } = draft === '07' ? await import('ajv') : { Ajv: (await import('ajv/dist/2020.js')).Ajv2020 };
  const options: Options = { allErrors, strict: false, validateFormats: false, logger: false };
  const ajv = new Ajv({ ...options, code: { regExp: matcher.engine } });
  for (const { keyword, type, schemaType, check } of KEYWORDS) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, type, schemaType, compile: check, errors: true });
  }
  try {
    // ajv knows a draft by one spelling of its address only, so the address stays only if no draft was recognized.
    return ajv.compile(draft === undefined ? schema : unnamed);
  } catch (error) {
    throw new Error(withoutRepetition((error as Error).message), { cause: error });
  }
}

/** The metaschema of draft 2020-12 consists of parts, each of which says the same of a fault. */
function withoutRepetition(message: string): string {
  return [...new Set(message.split(', '))].join(', ');
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

/** Makes a check as ajv takes it of a function that says what is wrong. */
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

/** Objects are equal whatever the order of their keys. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
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
