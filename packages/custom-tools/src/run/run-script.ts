import path from 'node:path';
import type { Environment, ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findBuilt, keepBuilt, readVariables, resolveInside } from '../folders/index.ts';
import { toolsCommand } from '../shell-words.ts';
import { launchScript, type ScriptEnd, type ScriptLaunch } from './launch-script.ts';
import { commandLine, findRuntime } from './runtimes.ts';
import type { ToolCopy } from './tool-copy.ts';

/** The variables of jinn that every tool gets. */
const SAFE = [
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TERM',
  'NODE_ENV',
] as const;

/** The limit is long, since the first build compiles the imported parts of the standard library. */
const LIMIT_MS = 300_000;

/**
 * Builds in the folder of the tool, where its own module is, and prints the program. Security: the module and the
 * `go.work` of the workspace do not count, and git is not asked for the version, since the folder might hold settings
 * for it.
 */
const BUILD = `set -e
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
cd "$1"
"$2" build -trimpath -buildvcs=false -ldflags='-s -w' -o "$built/program" "$3" >&2
cat "$built/program"`;

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
      suggestion: `ask the user to fix the tool: ${toolsCommand('check', tool.name)}`,
    });
  }
  const environment = toolEnvironment(tool.env, ctx);
  const at = { name: tool.name, environment, ...rest };
  if (tool.runtime !== 'go') {
    return launchScript(
      { ...at, argv: commandLine(tool.runtime, found.path, ctx.environment), folder: tool.folder },
      ctx,
    );
  }
  const program = await buildGo(copy, script, ctx);
  return launchScript({ ...at, argv: [program], folder: path.dirname(program) }, ctx);
}

/**
 * Returns the program that go builds from the script of a copy. It is built once and kept next to the copy. Rejects with
 * `not_found` if go is not installed, and `tool_failed` if the script does not build.
 */
export async function buildGo({ tool, fingerprint }: ToolCopy, script: string, ctx: ToolContext): Promise<string> {
  const copy = { folder: tool.folder, fingerprint: fingerprint as string };
  const known = findBuilt(copy, script);
  if (known !== undefined) return known;
  const argv = ['/bin/sh', '-c', BUILD, 'build', tool.folder, findRuntime('go', ctx.environment), `./${script}`];
  const environment = { ...toolEnvironment([], ctx), GOWORK: 'off', GOFLAGS: '' };
  const call = { name: tool.name, argv, folder: tool.folder, environment, input: '', timeout: LIMIT_MS };
  const { stopper, exitCode, stderr, stdout } = await launchScript(call, ctx);
  if (stopper === 'canceled') throw new ToolError('canceled', 'the request was canceled before the tool ran');
  if (stopper === undefined && exitCode === 0) return keepBuilt(copy, script, stdout);
  const why = { timeout: `it took longer than ${LIMIT_MS / 1000} seconds`, resource_limit: 'it is larger than 64 MB' };
  throw new ToolError('tool_failed', `${tool.name}: ${script} could not be built: ${stopper ? why[stopper] : stderr}`, {
    suggestion: `the error is in the tool, not in the arguments: ask the user to fix it: ${toolsCommand('check', tool.name)}`,
  });
}

/**
 * Makes the environment of a tool: the safe variables of jinn, and the variables of `.env` that the tool declares. The
 * file is read at each call. A declared name is never looked up in the environment of jinn, which may hold the keys of
 * a host.
 */
function toolEnvironment(declared: readonly string[], { environment, user }: ToolContext): Record<string, string> {
  const variables = declared.length === 0 ? undefined : readVariables(user.state.directory);
  return { ...pick(SAFE, (name) => environment[name]), ...pick(declared, (name) => variables?.get(name)) };
}

function pick(names: readonly string[], find: (name: string) => Environment[string]): Record<string, string> {
  const found = names.map((name) => [name, find(name)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
