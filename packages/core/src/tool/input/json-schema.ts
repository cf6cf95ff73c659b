import * as z from 'zod/mini';
import type { ArgsSchema } from '../tool.ts';
import type { JsonSchema } from './input.ts';

/** Makes the JSON Schema of a tool's arguments from its zod schema. */
export function toJsonSchema(build: (zod: typeof z) => ArgsSchema): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(build(z), { io: 'input' });
  return dropSafeIntegerBounds(schema) as JsonSchema;
}

/** zod gives these bounds to every integer because of doubles. They are noise to a reader. */
function dropSafeIntegerBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(dropSafeIntegerBounds);
  if (typeof node !== 'object' || node === null) return node;
  const bounds: Record<string, unknown> = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  const kept = Object.entries(node).filter(([key, value]) => !Object.hasOwn(bounds, key) || value !== bounds[key]);
  return Object.fromEntries(kept.map(([key, value]) => [key, dropSafeIntegerBounds(value)]));
}
