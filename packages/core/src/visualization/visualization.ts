import type { Visualization } from './visualization-type.d.ts';

/** Data is far less nested, and the stack of JSON.stringify overflows far later. */
const MAX_DEPTH = 500;

export type { Visualization } from './visualization-type.d.ts';

export type VisualizationOf<T extends Visualization['type']> = Extract<Visualization, { type: T }>;

/** `warning` names the fields that no client knows. `problem` says why the value cannot be shown. */
export type CheckedVisualization =
  | { readonly visualization: Visualization; readonly warning?: string }
  | { readonly problem: string };

/**
 * Checks the visualization of a script. Unknown fields are removed and reported: a host might obey them, and the author
 * may have meant another field. zod is loaded at the first check.
 */
export async function checkVisualization(value: unknown): Promise<CheckedVisualization> {
  if (isTooDeep(value, 0)) return { problem: `it is nested deeper than ${MAX_DEPTH} levels` };
  const { checkAgainstSchema } = await import('./visualization-schema.ts');
  const { faults, unknown, known } = checkAgainstSchema(value);
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
