import { nearestName, ToolError, type Toolset } from '@jinn/core';

export interface Choice {
  /** The only tools; all when undefined. */
  readonly tools?: readonly string[];
  readonly excludeTools: readonly string[];
}

/** The toolsets with the chosen tools. Throws ToolError for a name that none of them has: it would open what was to be closed. */
export function chooseTools(toolsets: readonly Toolset[], { tools, excludeTools }: Choice): Toolset[] {
  const known = toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name));
  for (const name of [...(tools ?? []), ...excludeTools]) if (!known.includes(name)) throw unknown(name, known);
  const isChosen = ({ name }: { name: string }) =>
    (tools === undefined || tools.includes(name)) && !excludeTools.includes(name);
  return toolsets.map((toolset) => ({ ...toolset, tools: toolset.tools.filter(isChosen) }));
}

function unknown(name: string, known: readonly string[]): ToolError {
  const nearest = nearestName(name, known);
  return new ToolError('unknown_tool', `unknown tool: ${name.slice(0, 100)}`, {
    suggestion: nearest === undefined ? `the tools are: ${known.join(', ')}` : `did you mean ${nearest}?`,
  });
}
