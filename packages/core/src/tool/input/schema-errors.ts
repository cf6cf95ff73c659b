import type { ErrorObject } from 'ajv';

const MAX_FAULTS = 5;
const MAX_VALUE = 300;
const MAX_KEY = 60;
const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]*/;

export type Member = 'argument' | 'member';

/** Describes the first faults, a sentence each. */
export function describeErrors(errors: readonly ErrorObject[], member: Member): string[] {
  return group(errors)
    .slice(0, MAX_FAULTS)
    .map((fault) => describe(fault, member));
}

interface Fault {
  readonly error: ErrorObject;
  readonly alternatives: readonly (readonly Fault[])[];
}

/** ajv reports the errors of alternatives right before the one that no alternative fits. */
function group(errors: readonly ErrorObject[]): Fault[] {
  const faults: Fault[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      faults.push({ error, alternatives: [] });
      continue;
    }
    let start = faults.length;
    while (start > 0 && alternativeOf(error, faults[start - 1]?.error) !== undefined) start--;
    const inside = faults.splice(start);
    const names = [...new Set(inside.map((fault) => alternativeOf(error, fault.error)))];
    const alternatives = names.map((name) => inside.filter((fault) => alternativeOf(error, fault.error) === name));
    faults.push({ error, alternatives });
  }
  return faults;
}

function alternativeOf(choice: ErrorObject, error: ErrorObject | undefined): string | undefined {
  if (!error?.instancePath.startsWith(choice.instancePath)) return undefined;
  const { schemaPath } = error;
  if (schemaPath.startsWith(`${choice.schemaPath}/`))
    return schemaPath.slice(choice.schemaPath.length + 1).split('/')[0];
  // An alternative that refers to a definition has errors with the path of that one.
  const definition = DEFINITION.exec(schemaPath)?.[0];
  return definition === DEFINITION.exec(choice.schemaPath)?.[0] ? undefined : definition;
}

function describe({ error, alternatives }: Fault, member: Member): string {
  const { instancePath, keyword, params, message = 'is not valid' } = error;
  const at = instancePath.slice(1).replaceAll('/', '.');
  const missing = params['missingProperty'];
  if (keyword === 'required') return `missing required ${member} ${at ? `${at}.${missing}` : missing}`;
  const unknown = unknownKey(error);
  if (unknown !== undefined) {
    return `unknown ${member} ${at && `in ${at}: `}${JSON.stringify(unknown.slice(0, MAX_KEY))}`;
  }
  const subject = at || (member === 'argument' ? 'args' : 'it');
  if (alternatives.length > 1) {
    const each = alternatives.slice(0, MAX_FAULTS).map((faults) => describeAll(faults, member));
    return `${subject}: fits none of the alternatives: ${each.map((text, i) => `(${i + 1}) ${text}`).join(', ')}`;
  }
  if (keyword === 'false schema') return `${subject}: is not allowed`;
  if (keyword === 'const') return `${subject}: must be ${show(params['allowedValue'])}`;
  const allowed = keyword === 'enum' ? `: ${show(params['allowedValues'])}` : '';
  return `${subject}: ${message}${allowed}`;
}

function describeAll(faults: readonly Fault[], member: Member): string {
  return faults
    .slice(0, MAX_FAULTS)
    .map((fault) => describe(fault, member))
    .join(' and ');
}

/** Returns the key that, by an error, must not exist. */
export function unknownKey({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'additionalProperties') return String(params['additionalProperty']);
  return keyword === 'unevaluatedProperties' ? String(params['unevaluatedProperty']) : undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE).toWellFormed()}…`;
}
