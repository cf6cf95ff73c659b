import { mapArgs, renameArgs, type ZodTool } from '@jinn/core';

/** Names by which agents know the argument `path` from other tools. */
const ALIASES = { relative_path: 'path', file_path: 'path', file: 'path' };

/** Makes a tool that also takes its path by other names. */
export function takesPath(tool: ZodTool): ZodTool {
  return mapArgs(tool, (args) => renameArgs(args, ALIASES));
}
