const PATH = /^#(?:\/|$)/;
/** Schemas that ajv knows. */
const METASCHEMA = /^https?:\/\/json-schema\.org\//;

/** A `$ref` of a schema, and where it stands. */
export interface Reference {
  readonly to: unknown;
  readonly at: string;
}

/**
 * Finds the references of a schema that lead nowhere: each must name a part of the same schema, since no other one is fetched.
 * `schemas` are the parts that are known to be schemas. Returns `unknown` if a reference leads to another part, or is not a
 * path.
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
  return faults.length === 0 && isUnknown ? 'unknown' : faults;
}

/** Follows a JSON Pointer in a fragment; undefined if it leads nowhere. */
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
