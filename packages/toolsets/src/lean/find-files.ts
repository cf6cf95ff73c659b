import { defineTool, runPart, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { listDir } from '@jinn/fs-tools/list-dir';
import { findFiles as findByGlob } from '@jinn/search/find-files';

const DEFAULT_DEPTH = 3;

export const findFiles = defineTool({
  name: 'find_files',
  effect: 'read',
  description:
    'Find files by a glob, at any depth for one without a slash. Without pattern, list a directory as a tree. Omits what git ignores, hidden files, node_modules and the like, and always secrets.',
  input: (z) =>
    z.extend(z.partial(findByGlob.input.build(z), { pattern: true }), {
      depth: z.optional(z.int().check(z.describe(`Levels of the tree: ${DEFAULT_DEPTH}, at most 10`))),
    }),
  examples: [{ pattern: '*.go', path: 'internal' }, { path: 'src', depth: 1 }, {}],
  ...(findByGlob.hosting && { hosting: findByGlob.hosting }),

  async run({ pattern, depth, ...args }, ctx): Promise<ToolOutput> {
    if (pattern !== undefined) {
      if (depth !== undefined) throw notTogether('depth does not go with pattern', 'leave one of them out');
      return runPart(findByGlob, { ...args, pattern }, ctx);
    }
    const { path, limit, offset, no_ignore, sort, hidden } = args;
    if (hidden || sort !== 'name') {
      throw notTogether(`${hidden ? 'hidden' : 'sort'} needs a pattern`, 'pass pattern: "*" for all files');
    }
    const list = { path, depth: depth ?? DEFAULT_DEPTH, max_entries: limit, offset, changed_since: 0, no_ignore };
    return runPart(listDir, list, ctx);
  },
});

function notTogether(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', message, { suggestion });
}
