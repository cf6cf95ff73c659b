import { type FixedToolset, fixedToolset, ToolError, type Toolset } from '@jinn/core';
import { readFile } from '@jinn/fs-tools/read-file';
import readFileSchema from './schemas/jinn/read_file.json' with { type: 'json' };

export { SCHEMA_FORMATS, type SchemaFormat, toMcpTool, toSchemaFormat } from './schema-formats.ts';

/**
 * Each tool by name; nothing is loaded before it is called, except read_file: most calls are for it, and a second file of
 * code costs a one-shot call a millisecond. `schemas/` is generated.
 */
const jinn = fixedToolset('jinn', {
  run_shell: async () => ({
    tool: (await import('@jinn/shell/run-shell')).runShell,
    schema: (await import('./schemas/jinn/run_shell.json')).default,
  }),
  read_file: async () => ({ tool: readFile, schema: readFileSchema }),
  multi_read: async () => ({
    tool: (await import('@jinn/fs-tools/multi-read')).multiRead,
    schema: (await import('./schemas/jinn/multi_read.json')).default,
  }),
  write_file: async () => ({
    tool: (await import('@jinn/fs-tools/write-file')).writeFile,
    schema: (await import('./schemas/jinn/write_file.json')).default,
  }),
  edit_file: async () => ({
    tool: (await import('@jinn/fs-tools/edit-file')).editFile,
    schema: (await import('./schemas/jinn/edit_file.json')).default,
  }),
  multi_edit: async () => ({
    tool: (await import('@jinn/fs-tools/multi-edit')).multiEdit,
    schema: (await import('./schemas/jinn/multi_edit.json')).default,
  }),
  apply_patch: async () => ({
    tool: (await import('@jinn/fs-tools/apply-patch')).applyPatch,
    schema: (await import('./schemas/jinn/apply_patch.json')).default,
  }),
  search_files: async () => ({
    tool: (await import('@jinn/search/search-files')).searchFiles,
    schema: (await import('./schemas/jinn/search_files.json')).default,
  }),
  stat_file: async () => ({
    tool: (await import('@jinn/fs-tools/stat-file')).statFile,
    schema: (await import('./schemas/jinn/stat_file.json')).default,
  }),
  list_dir: async () => ({
    tool: (await import('@jinn/fs-tools/list-dir')).listDir,
    schema: (await import('./schemas/jinn/list_dir.json')).default,
  }),
  find_files: async () => ({
    tool: (await import('@jinn/search/find-files')).findFiles,
    schema: (await import('./schemas/jinn/find_files.json')).default,
  }),
  list_tools: async () => ({
    tool: (await import('./list-tools.ts')).listTools,
    schema: (await import('./schemas/jinn/list_tools.json')).default,
  }),
  checksum_tree: async () => ({
    tool: (await import('@jinn/fs-tools/checksum-tree')).checksumTree,
    schema: (await import('./schemas/jinn/checksum_tree.json')).default,
  }),
  detect_project: async () => ({
    tool: (await import('@jinn/project/detect-project')).detectProject,
    schema: (await import('./schemas/jinn/detect_project.json')).default,
  }),
  memory: async () => ({
    tool: (await import('@jinn/memory/memory')).memory,
    schema: (await import('./schemas/jinn/memory.json')).default,
  }),
  undo: async () => ({
    tool: (await import('@jinn/fs-tools/undo')).undo,
    schema: (await import('./schemas/jinn/undo.json')).default,
  }),
  related_context: async () => ({
    tool: (await import('@jinn/project/related-context')).relatedContext,
    schema: (await import('./schemas/jinn/related_context.json')).default,
  }),
  lsp_query: async () => ({
    tool: (await import('@jinn/lsp-tools/lsp-query')).lspQuery,
    schema: (await import('./schemas/jinn/lsp_query.json')).default,
  }),
  diff_files: async () => ({
    tool: (await import('@jinn/fs-tools/diff-files')).diffFiles,
    schema: (await import('./schemas/jinn/diff_files.json')).default,
  }),
  search_replace: async () => ({
    tool: (await import('@jinn/fs-tools/search-replace')).searchReplace,
    schema: (await import('./schemas/jinn/search_replace.json')).default,
  }),
});

const jinni = fixedToolset('jinni', {
  read_context: async () => ({
    tool: (await import('@jinn/context/read-context')).readContext,
    schema: (await import('./schemas/jinni/read_context.json')).default,
  }),
  usage: async () => ({
    tool: (await import('@jinn/context/usage')).usage,
    schema: (await import('./schemas/jinni/usage.json')).default,
  }),
});

const codescout = fixedToolset('codescout', {
  read_file: async () => ({
    tool: (await import('@jinn/codescout/read-file')).readFile,
    schema: (await import('./schemas/codescout/read_file.json')).default,
  }),
  list_dir: async () => ({
    tool: (await import('@jinn/codescout/list-dir')).listDir,
    schema: (await import('./schemas/codescout/list_dir.json')).default,
  }),
  search_pattern: async () => ({
    tool: (await import('@jinn/codescout/search-pattern')).searchPattern,
    schema: (await import('./schemas/codescout/search_pattern.json')).default,
  }),
  find_file: async () => ({
    tool: (await import('@jinn/codescout/find-file')).findFile,
    schema: (await import('./schemas/codescout/find_file.json')).default,
  }),
  create_file: async () => ({
    tool: (await import('@jinn/codescout/create-file')).createFile,
    schema: (await import('./schemas/codescout/create_file.json')).default,
  }),
  edit_file: async () => ({
    tool: (await import('@jinn/codescout/edit-file')).editFile,
    schema: (await import('./schemas/codescout/edit_file.json')).default,
  }),
  run_command: async () => ({
    tool: (await import('@jinn/codescout/run-command')).runCommand,
    schema: (await import('./schemas/codescout/run_command.json')).default,
  }),
  // The symbol tools follow here.
});

/** The toolsets whose schemas and pages are generated. */
export const FIXED_TOOLSETS: readonly FixedToolset[] = [jinn, jinni, codescout];

const TOOLSETS: readonly Toolset[] = FIXED_TOOLSETS;

export const TOOLSET_NAMES: readonly string[] = TOOLSETS.map(({ name }) => name);

/** Returns the toolsets of these names, in the order of the names. Throws ToolError for an unknown name. */
export function chooseToolsets(names: readonly string[]): Toolset[] {
  return names.map((name) => {
    const toolset = TOOLSETS.find((candidate) => candidate.name === name);
    if (toolset) return toolset;
    throw new ToolError('invalid_request', `unknown toolset: ${name}`, {
      suggestion: `the toolsets are: ${TOOLSET_NAMES.join(', ')}`,
    });
  });
}
