import type { Toolset } from '@jinn/core';

/** The toolset `jinn`. Naming a tool loads nothing. */
export const jinnToolset: Toolset = {
  name: 'jinn',
  tools: [
    { name: 'read_file', load: async () => (await import('@jinn/fs-tools/read-file')).readFile },
    { name: 'multi_read', load: async () => (await import('@jinn/fs-tools/multi-read')).multiRead },
    { name: 'write_file', load: async () => (await import('@jinn/fs-tools/write-file')).writeFile },
    { name: 'undo', load: async () => (await import('@jinn/fs-tools/undo')).undo },
    { name: 'stat_file', load: async () => (await import('@jinn/fs-tools/stat-file')).statFile },
    { name: 'diff_files', load: async () => (await import('@jinn/fs-tools/diff-files')).diffFiles },
  ],
};
