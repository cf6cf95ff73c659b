import * as z from 'zod/mini';
import type { ArgsSchema } from '../tool.ts';
import type { JsonSchema } from './input.ts';

/** Makes the JSON Schema of a tool's arguments from its zod schema. Docs, front-ends and `--schema` show it. */
export function toJsonSchema(build: (zod: typeof z) => ArgsSchema): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(build(z), { io: 'input' });
  return dropSafeIntegerBounds(schema) as JsonSchema;
}

/** Removes the bounds that zod gives every integer because of doubles, which are noise to a reader. */
function dropSafeIntegerBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(dropSafeIntegerBounds);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => !isSafeIntegerBound(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, dropSafeIntegerBounds(value)]));
}

function isSafeIntegerBound(key: string, value: unknown): boolean {
  return (
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}
