const PATH = /^#(?:\/|$)/;
/** Schemas that ajv knows. */
const METASCHEMA = /^https?:\/\/json-schema\.org\//;

/** A `$ref` of a schema, and where it stands. */
export interface Reference {
  readonly to: unknown;
  readonly at: string;
}

/**
 * Finds the references of a schema that lead nowhere: each must name a part of the same schema, since no other one is
 * fetched. `schemas` are the known parts that are schemas. Returns `unknown` if a reference leads to another part, or
 * is not a path.
 */
export function findReferenceFaults(
  root: object,
  references: readonly Reference[],
  schemas: ReadonlySet<unknown>,
): readonly string[] | 'unknown' {
  const faults: string[] = [];
  let isUnknown = false;
  for (const { to, at } of references) {
    if (typeof to !== 'string') {
      faults.push(`${at} must be a text`);
      continue;
    }
    const isPath = PATH.test(to);
    const target = isPath ? follow(root, to) : undefined;
    if (schemas.has(target)) continue;
    if (isPath && target === undefined) faults.push(`${at}: ${JSON.stringify(to)} leads nowhere`);
    else if (to.startsWith('#') || METASCHEMA.test(to)) isUnknown = true;
    else faults.push(`${at}: ${JSON.stringify(to)} is another schema, and none is fetched; copy it into $defs`);
  }
  if (faults.length > 0) return faults;
  const loop = findLoop(root, references);
  if (loop) return [`${loop.at}: ${JSON.stringify(loop.to)} leads back to itself without a step into the value`];
  return isUnknown ? 'unknown' : [];
}

/** Finds a reference by which a schema would check the same value for ever. */
function findLoop(root: object, references: readonly Reference[]): Reference | undefined {
  const done = new Set<unknown>();
  return references.find(({ to }) => leadsBack(root, follow(root, String(to)), done));
}

/** Follows all schemas that check the same value. `done` are those from which nothing leads back. */
function leadsBack(root: object, start: unknown, done: Set<unknown>): boolean {
  const way = new Set<unknown>([start]);
  const stack = [{ at: start, next: sameValue(root, start) }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const schema = top.next.pop();
    if (schema === undefined) {
      done.add(top.at);
      way.delete(top.at);
      stack.pop();
    } else if (way.has(schema)) return true;
    else if (!done.has(schema)) {
      way.add(schema);
      stack.push({ at: schema, next: sameValue(root, schema) });
    }
  }
  return false;
}

function sameValue(root: object, schema: unknown): object[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { $ref, allOf, anyOf, oneOf, dependentSchemas, ...rest } = schema as Record<string, unknown>;
  const listed = [allOf, anyOf, oneOf, dependentSchemas].flatMap((value) => Object.values(value ?? {}));
  const single = ['not', 'if', 'then', 'else'].map((keyword) => rest[keyword]);
  const target = typeof $ref === 'string' && PATH.test($ref) ? follow(root, $ref) : undefined;
  return [target, ...listed, ...single].filter((each) => typeof each === 'object' && each !== null);
}

function follow(root: object, fragment: string): unknown {
  let at: unknown = root;
  for (const step of fragment.split('/').slice(1)) {
    const key = decode(step);
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
