import { defineTool, runPart, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { multiRead } from '@jinn/fs-tools/multi-read';
import { readFile as readOne } from '@jinn/fs-tools/read-file';

const MAX_FILES = 20;

export const readFile = defineTool({
  name: 'read_file',
  effect: 'read',
  description:
    'Read a file, or several, with line numbers. A long one comes in windows: follow the last line of the answer. Images come as images, notebooks as cells.',
  input: (z) =>
    z.extend(readOne.input.build(z), {
      path: z
        .union([
          z.string().check(z.minLength(1)),
          z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(MAX_FILES)),
        ])
        .check(z.describe(`File, or up to ${MAX_FILES} text files`)),
    }),
  examples: [
    { path: 'README.md' },
    { path: ['README.md', 'package.json'], end_line: 40 },
    { path: 'src/main.ts', symbol: 'Server/close' },
  ],
  ...(readOne.forPrograms && { forPrograms: readOne.forPrograms }),
  ...(readOne.hosting && { hosting: readOne.hosting }),

  async run({ path, ...args }, ctx): Promise<ToolOutput> {
    const [first, ...others] = typeof path === 'string' ? [path] : path;
    if (first !== undefined && others.length === 0) return runPart(readOne, { ...args, path: first }, ctx);
    const { start_line, end_line, tail, line_numbers, truncate, ...forOne } = args;
    const other = Object.entries(forOne).find(([, value]) => value !== undefined && value !== false)?.[0];
    if (other !== undefined) {
      throw new ToolError('invalid_args', `${other} goes with one path`, { suggestion: 'read each file by itself' });
    }
    const window = { start_line, end_line, tail, line_numbers, truncate };
    return runPart(multiRead, { files: [first, ...others].map((file) => ({ path: file as string, ...window })) }, ctx);
  },
});
