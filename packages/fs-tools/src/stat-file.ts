import { defineTool, type ToolOutput } from '@jinn/core';
import { SNIFF_BYTES } from '@jinn/workspace';
import { isSvg, kindOfFile, MAX_FILE_BYTES, nameKind, withScan } from './read/text-content.ts';
import { textFacts } from './read/text-facts.ts';

export const statFile = defineTool({
  name: 'stat_file',
  effect: 'read',
  description: 'Get metadata of a path: type, size, lines, modification time, encoding, line ending.',
  input: (z) => z.strictObject({ path: z.string().check(z.minLength(1), z.describe('Path')) }),
  output: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      type: { type: 'string' },
      size: { type: 'integer' },
      modified: { type: 'string' },
      lines: { type: 'integer' },
      kind: { type: 'string' },
    },
    required: ['path', 'type', 'size', 'modified'],
  },
  examples: [{ path: 'README.md' }],
  hosting: { tellsVersions: 'always' },

  run({ path }, ctx): ToolOutput | Promise<ToolOutput> {
    const status = ctx.workspace.status(path);
    const { kind: type, size } = status;
    const facts = { path: status.path, type, size };
    const modified = status.modified.toISOString();
    if (type !== 'file' || size > MAX_FILE_BYTES) return { data: { ...facts, modified } };
    return withScan(ctx, path, {}, (file, scan) => {
      const meta = { version: scan.version };
      const found = kindOfFile(scan.slice(0, SNIFF_BYTES), path);
      const kind = isSvg(found) ? undefined : nameKind(found);
      if (kind !== undefined) return { data: { ...facts, kind, modified, encoding: 'binary' }, meta };
      const text = textFacts(scan.slice(0, scan.size), { name: scan.encoding, head: file.slice(0, 4) });
      return { data: { ...facts, lines: scan.lines, modified, ...text }, meta };
    });
  },
});
