import { fitToHost } from '@jinn/codescout/fit-to-host';
import {
  type ChangedFile,
  type FixedToolset,
  fixedToolset,
  type Machine,
  once,
  type Session,
  ToolError,
  type Toolset,
  type ZodTool,
} from '@jinn/core';
import { readFile } from '@jinn/fs-tools/read-file';
import readFileSchema from './schemas/jinn/read_file.json' with { type: 'json' };

export { type McpTool, SCHEMA_FORMATS, type SchemaFormat, toMcpTool, toSchemaFormat } from './schema-formats.ts';

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

/** The tools of the toolset `symbols`; another toolset may have them too. */
const SYMBOL_TOOLS = {
  list_symbols: async () => ({
    tool: (await import('@jinn/symbols/list-symbols')).listSymbols,
    schema: (await import('./schemas/symbols/list_symbols.json')).default,
  }),
  find_symbol: async () => ({
    tool: (await import('@jinn/symbols/find-symbol')).findSymbol,
    schema: (await import('./schemas/symbols/find_symbol.json')).default,
  }),
  find_references: async () => ({
    tool: (await import('@jinn/symbols/find-references')).findReferences,
    schema: (await import('./schemas/symbols/find_references.json')).default,
  }),
  goto_definition: async () => ({
    tool: (await import('@jinn/symbols/goto-definition')).gotoDefinition,
    schema: (await import('./schemas/symbols/goto_definition.json')).default,
  }),
  hover: async () => ({
    tool: (await import('@jinn/symbols/hover')).hover,
    schema: (await import('./schemas/symbols/hover.json')).default,
  }),
  replace_symbol: async () => ({
    tool: (await import('@jinn/symbols/replace-symbol')).replaceSymbol,
    schema: (await import('./schemas/symbols/replace_symbol.json')).default,
  }),
  insert_code: async () => ({
    tool: (await import('@jinn/symbols/insert-code')).insertCode,
    schema: (await import('./schemas/symbols/insert_code.json')).default,
  }),
  remove_symbol: async () => ({
    tool: (await import('@jinn/symbols/remove-symbol')).removeSymbol,
    schema: (await import('./schemas/symbols/remove_symbol.json')).default,
  }),
  rename_symbol: async () => ({
    tool: (await import('@jinn/symbols/rename-symbol')).renameSymbol,
    schema: (await import('./schemas/symbols/rename_symbol.json')).default,
  }),
  symbol_diagnostics: async () => ({
    tool: (await import('@jinn/symbols/symbol-diagnostics')).symbolDiagnostics,
    schema: (await import('./schemas/symbols/symbol_diagnostics.json')).default,
  }),
} as const;

type Wrap = (tool: ZodTool, options: { readonly isPaged: boolean }) => ZodTool;

/** The tools for symbols. `load` loads what wraps each of them to cut a long result. */
function wrapSymbolTools(load: () => Promise<Wrap>) {
  const entries = Object.entries(SYMBOL_TOOLS).map(([name, loadTool]) => {
    const loadBoth = async () => {
      const wrap = await load();
      const { tool, schema } = await loadTool();
      return { tool: wrap(tool, { isPaged: isPaged(schema) }), schema };
    };
    return [name, loadBoth] as const;
  });
  return Object.fromEntries(entries);
}

/** A schema that is not generated yet has no properties. */
function isPaged({ properties = {} }: { readonly properties?: object }): boolean {
  return 'offset' in properties;
}

const symbols = fixedToolset(
  'symbols',
  wrapSymbolTools(async () => fitToHost),
);

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
  // A large result goes into a buffer.
  ...wrapSymbolTools(async () => (await import('@jinn/codescout/keep-large')).keepLarge),
});

/** The toolsets whose schemas and pages are generated. */
export const FIXED_TOOLSETS: readonly FixedToolset[] = [jinn, jinni, codescout, symbols];

/** The toolset whose tools are folders on the disk. Nothing of it is loaded before its tools are listed. */
const CUSTOM = 'custom';

export const TOOLSET_NAMES: readonly string[] = [...FIXED_TOOLSETS.map(({ name }) => name), CUSTOM];

/**
 * Returns the toolsets of these names, in the order of the names; a name that is repeated counts once. `machine` is where custom tools are looked for. Throws
 * ToolError for an unknown name.
 */
export function chooseToolsets(names: readonly string[], machine?: Machine): Toolset[] {
  return [...new Set(names)].map((name) => {
    if (name === CUSTOM && machine) return customToolset(machine);
    const toolset = FIXED_TOOLSETS.find((candidate) => candidate.name === name);
    if (toolset) return toolset;
    throw new ToolError('invalid_request', `unknown toolset: ${name}`, {
      suggestion: `the toolsets are: ${TOOLSET_NAMES.join(', ')}`,
    });
  });
}

/** Says which syntax errors changes of files have brought in; for the registry. The parser is loaded when this is asked. */
export async function reportChanges(files: readonly ChangedFile[], session: Session): Promise<object> {
  return (await import('./report-syntax.ts')).reportSyntax(files, session);
}

function customToolset(machine: Machine): Toolset {
  const load = once(async () => {
    const { createCustomToolset } = await import('@jinn/custom-tools/toolset');
    return createCustomToolset({ machine, builtIn: await builtInNames() });
  });
  return {
    name: CUSTOM,
    isLive: true,
    list: async () => (await load()).list(),
    problems: async () => (await load()).problems?.() ?? [],
    whyNot: async (name) => (await load()).whyNot?.(name),
    watch: (onChange) => {
      let end: (() => void) | undefined;
      let hasEnded = false;
      void load().then((toolset) => {
        if (!hasEnded) end = toolset.watch?.(onChange);
      });
      return () => {
        hasEnded = true;
        end?.();
      };
    },
  };
}

/** Returns the names of all tools of ours, each with its toolset. */
export async function builtInNames(): Promise<ReadonlyMap<string, string>> {
  const lists = FIXED_TOOLSETS.map(async ({ name, list }) => (await list()).map((tool) => [tool.name, name] as const));
  return new Map((await Promise.all(lists)).flat());
}
