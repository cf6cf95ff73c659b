import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { resolveInside } from '../folders/index.ts';
import { toolsCommand } from '../shell-words.ts';
import { buildGo } from './go-program.ts';
import { launch, type ScriptEnd, type ScriptLaunch } from './launch-script.ts';
import { commandLine } from './runtimes.ts';
import type { ToolCopy } from './tool-copy.ts';
import { toolEnvironment } from './tool-environment.ts';

export interface ScriptCall extends Pick<ScriptLaunch, 'input' | 'timeout' | 'onProgress'> {
  /** The script, relative to the folder of the tool. */
  readonly script: string;
}

/** Runs a script of a tool as `launch` does. Throws `not_found` if the script or its runtime is missing. */
export async function runScript(copy: ToolCopy, call: ScriptCall, ctx: ToolContext): Promise<ScriptEnd> {
  const { tool } = copy;
  const { script, ...rest } = call;
  const found = resolveInside(tool.folder, script);
  if ('problem' in found) {
    throw new ToolError('not_found', `${tool.shown}/${script}: ${found.problem}`, {
      suggestion: `ask the person to mend the tool: ${toolsCommand('check', tool.name)}`,
    });
  }
  const environment = toolEnvironment(tool.env, ctx);
  const at = { name: tool.name, environment, ...rest };
  if (tool.runtime !== 'go') {
    return launch({ ...at, argv: commandLine(tool.runtime, found.path, ctx.environment), folder: tool.folder }, ctx);
  }
  const program = await buildGo(copy, script, ctx);
  return launch({ ...at, argv: [program], folder: path.dirname(program) }, ctx);
}
