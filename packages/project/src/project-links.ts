import { type ToolContext, ToolError } from '@jinn/core';

/** What a link leads to; undefined for one that leads nowhere, or out of the workspace. */
export function targetOf({ workspace }: ToolContext, link: string): 'file' | 'directory' | 'special' | undefined {
  try {
    return workspace.status(link).kind;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    return undefined;
  }
}
