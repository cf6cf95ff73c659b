import { wrapRun, type ZodTool } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

const MAX_RESULT = 24 * 1024;

/** The tools here that replace those of the toolset jinn, which their errors name. */
const NAMES: Readonly<Record<string, string>> = {
  list_dir: 'find_files',
  multi_read: 'read_file',
  multi_edit: 'edit_file',
  write_file: 'apply_patch',
  stat_file: 'run_shell',
};
const NAMED = new RegExp(`\\b(?:${Object.keys(NAMES).join('|')})\\b`, 'g');

/**
 * Makes a tool answer as to a model, regardless of the program: it pages to fit, and chooses the form that takes the fewest
 * tokens.
 */
export function forModel(tool: ZodTool): ZodTool {
  return wrapRun(tool, async (run, _, ctx) => {
    try {
      return await run({ ...ctx, maxResult: ctx.maxResult ?? MAX_RESULT });
    } catch (error) {
      throw error instanceof ToolError ? withOurNames(error) : error;
    }
  });
}

function withOurNames(error: ToolError): ToolError {
  const { code, message, suggestion, example, details, cause } = error;
  const rename = (text: string) => text.replace(NAMED, (name) => NAMES[name] ?? name);
  return new ToolError(code, rename(message), {
    cause,
    ...(suggestion !== undefined && { suggestion: rename(suggestion) }),
    ...(example && { example }),
    ...(details && { details }),
  });
}
