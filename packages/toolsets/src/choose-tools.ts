import type { Toolset } from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';

export interface ToolChoice {
  readonly tools?: readonly string[];
  readonly excludeTools: readonly string[];
}

/**
 * Returns the toolsets with only the chosen tools. Rejects with a ToolError for a name that none of them has: ignoring
 * it would serve what was to be omitted.
 */
export async function chooseTools(
  toolsets: readonly Toolset[],
  { tools, excludeTools }: ToolChoice,
): Promise<Toolset[]> {
  const named = [...(tools ?? []), ...excludeTools];
  if (named.length === 0) return [...toolsets];
  const known = (await Promise.all(toolsets.map(listNames))).flat();
  for (const name of named) if (!known.includes(name)) throw unknown(name, known);
  const isChosen = ({ name }: { name: string }) =>
    (tools === undefined || tools.includes(name)) && !excludeTools.includes(name);
  return toolsets.map((toolset) => {
    if ('tools' in toolset) return { ...toolset, tools: toolset.tools.filter(isChosen) };
    const look = async () => {
      const found = await toolset.look();
      return { ...found, tools: found.tools.filter(isChosen) };
    };
    return { ...toolset, look };
  });
}

async function listNames(toolset: Toolset): Promise<string[]> {
  const { tools } = 'tools' in toolset ? toolset : await toolset.look();
  return tools.map(({ name }) => name);
}

function unknown(name: string, known: readonly string[]): ToolError {
  const nearest = nearestName(name, known);
  return new ToolError('unknown_tool', `unknown tool: ${name.slice(0, 100)}`, {
    suggestion: nearest === undefined ? `the tools are: ${known.join(', ')}` : `did you mean ${nearest}?`,
  });
}
