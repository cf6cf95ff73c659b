import type * as Zod from 'zod/mini';
import { ToolError } from './errors.ts';
import type { VisualizationSchema } from './visualization-schema.ts';

/** The member of a script's output that holds what a person is shown. */
const KEY = '_visualization';
/** Far more than data has, and far less than would overflow the stack of JSON.stringify. */
const MAX_DEPTH = 500;

/** A result as a person is shown it. The model never sees it. */
export type Visualization = Zod.output<VisualizationSchema>;

/** A visualization of one type. */
export type VisualizationOf<T extends Visualization['type']> = Extract<Visualization, { type: T }>;

/** `warning` names the fields that no client knows; `problem` says what makes the value unfit to be shown. */
export type CheckedVisualization =
  | { readonly visualization: Visualization; readonly warning?: string }
  | { readonly problem: string };

/**
 * Checks what a script gave as its visualization. Fields that no type has are left out and reported: a host might obey them,
 * and the author may have meant another field. zod is loaded at the first check.
 */
export async function checkVisualization(value: unknown): Promise<CheckedVisualization> {
  if (isTooDeep(value, 0)) return { problem: `it is nested deeper than ${MAX_DEPTH} levels` };
  const { judgeVisualization } = await import('./visualization-schema.ts');
  const { faults, unknown, known } = judgeVisualization(value);
  if (faults.length > 0) return { problem: faults.join('; ') };
  const visualization = known as Visualization;
  if (unknown.length === 0) return { visualization };
  return { visualization, warning: `${visualization.type} has no field ${unknown.join(', ')}` };
}

/** Security: JSON.stringify would overflow the stack on the cell of a table that is nested deeply enough. */
function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

/**
 * Copies a JSON value without the members called `_visualization`, at every depth. All else stays as it is, a member
 * called `__proto__` too. Throws `resource_limit` if the value is nested too deeply.
 */
export function stripVisualizations<T>(value: T): T {
  return strip(value, 0) as T;
}

function strip(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) {
    throw new ToolError('resource_limit', `the output is nested deeper than ${MAX_DEPTH} levels`, {
      suggestion: 'the tool must return flatter data',
    });
  }
  if (Array.isArray(value)) return value.map((item) => strip(item, depth + 1));
  const kept = Object.entries(value).filter(([key]) => key !== KEY);
  return Object.fromEntries(kept.map(([key, member]) => [key, strip(member, depth + 1)]));
}
