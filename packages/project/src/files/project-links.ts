import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

/** Returns the kind of file behind a link; undefined if the link leads nowhere, or out of the workspace. */
export function targetOf({ workspace }: ToolContext, link: string): 'file' | 'directory' | 'special' | undefined {
  try {
    return workspace.status(link).kind;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'resource_limit') throw error;
    return undefined;
  }
}
