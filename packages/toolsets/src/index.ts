import { ToolError, type Toolset } from '@jinn/core';
import { readFile } from '@jinn/fs-tools/read-file';
import readFileSchema from './schemas/read_file.json' with { type: 'json' };

export { SCHEMA_FORMATS, type SchemaFormat, toMcpTool, toSchemaFormat } from './schema-formats.ts';

/**
 * Each tool by name; nothing is loaded before it is called (design section 2), but for read_file: it is what most
 * calls are, and a second file of code costs a one-shot call a millisecond. `schemas/` is generated.
 */
const jinn: Toolset = {
  name: 'jinn',
  tools: [
    {
      name: 'run_shell',
      load: async () => (await import('@jinn/shell/run-shell')).runShell,
      schema: async () => (await import('./schemas/run_shell.json')).default,
    },
    {
      name: 'read_file',
      load: async () => readFile,
      schema: async () => readFileSchema,
    },
    {
      name: 'multi_read',
      load: async () => (await import('@jinn/fs-tools/multi-read')).multiRead,
      schema: async () => (await import('./schemas/multi_read.json')).default,
    },
    {
      name: 'write_file',
      load: async () => (await import('@jinn/fs-tools/write-file')).writeFile,
      schema: async () => (await import('./schemas/write_file.json')).default,
    },
    {
      name: 'edit_file',
      load: async () => (await import('@jinn/fs-tools/edit-file')).editFile,
      schema: async () => (await import('./schemas/edit_file.json')).default,
    },
    {
      name: 'multi_edit',
      load: async () => (await import('@jinn/fs-tools/multi-edit')).multiEdit,
      schema: async () => (await import('./schemas/multi_edit.json')).default,
    },
    {
      name: 'apply_patch',
      load: async () => (await import('@jinn/fs-tools/apply-patch')).applyPatch,
      schema: async () => (await import('./schemas/apply_patch.json')).default,
    },
    {
      name: 'search_files',
      load: async () => (await import('@jinn/search/search-files')).searchFiles,
      schema: async () => (await import('./schemas/search_files.json')).default,
    },
    {
      name: 'stat_file',
      load: async () => (await import('@jinn/fs-tools/stat-file')).statFile,
      schema: async () => (await import('./schemas/stat_file.json')).default,
    },
    {
      name: 'list_dir',
      load: async () => (await import('@jinn/fs-tools/list-dir')).listDir,
      schema: async () => (await import('./schemas/list_dir.json')).default,
    },
    {
      name: 'find_files',
      load: async () => (await import('@jinn/search/find-files')).findFiles,
      schema: async () => (await import('./schemas/find_files.json')).default,
    },
    {
      name: 'list_tools',
      load: async () => (await import('./list-tools.ts')).listTools,
      schema: async () => (await import('./schemas/list_tools.json')).default,
    },
    {
      name: 'checksum_tree',
      load: async () => (await import('@jinn/fs-tools/checksum-tree')).checksumTree,
      schema: async () => (await import('./schemas/checksum_tree.json')).default,
    },
    {
      name: 'detect_project',
      load: async () => (await import('@jinn/project/detect-project')).detectProject,
      schema: async () => (await import('./schemas/detect_project.json')).default,
    },
    {
      name: 'memory',
      load: async () => (await import('@jinn/memory/memory')).memory,
      schema: async () => (await import('./schemas/memory.json')).default,
    },
    {
      name: 'undo',
      load: async () => (await import('@jinn/fs-tools/undo')).undo,
      schema: async () => (await import('./schemas/undo.json')).default,
    },
    {
      name: 'related_context',
      load: async () => (await import('@jinn/project/related-context')).relatedContext,
      schema: async () => (await import('./schemas/related_context.json')).default,
    },
    {
      name: 'diff_files',
      load: async () => (await import('@jinn/fs-tools/diff-files')).diffFiles,
      schema: async () => (await import('./schemas/diff_files.json')).default,
    },
    {
      name: 'search_replace',
      load: async () => (await import('@jinn/fs-tools/search-replace')).searchReplace,
      schema: async () => (await import('./schemas/search_replace.json')).default,
    },
  ],
};

const jinni: Toolset = {
  name: 'jinni',
  tools: [
    {
      name: 'read_context',
      load: async () => (await import('@jinn/context/read-context')).readContext,
      schema: async () => (await import('./schemas/read_context.json')).default,
    },
    {
      name: 'usage',
      load: async () => (await import('@jinn/context/usage')).usage,
      schema: async () => (await import('./schemas/usage.json')).default,
    },
  ],
};

const TOOLSETS: readonly Toolset[] = [jinn, jinni];

export const TOOLSET_NAMES: readonly string[] = TOOLSETS.map(({ name }) => name);

/** The toolsets of those names, in the order of the names. Throws ToolError for a name that is none. */
export function chooseToolsets(names: readonly string[]): Toolset[] {
  return names.map((name) => {
    const toolset = TOOLSETS.find((candidate) => candidate.name === name);
    if (toolset) return toolset;
    throw new ToolError('invalid_request', `unknown toolset: ${name}`, {
      suggestion: `the toolsets are: ${TOOLSET_NAMES.join(', ')}`,
    });
  });
}
