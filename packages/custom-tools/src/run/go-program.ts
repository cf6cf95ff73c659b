import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findBuilt, keepBuilt } from '../folders/index.ts';
import { toolsCommand } from '../shell-words.ts';
import { launch } from './launch-script.ts';
import { findRuntime } from './runtimes.ts';
import type { ToolCopy } from './tool-copy.ts';
import { toolEnvironment } from './tool-environment.ts';

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

/**
 * Returns the program that go builds from the script of a copy; it is built once and kept beside the copy. Rejects with
 * `not_found` if go is not installed, and `tool_failed` if the script does not build.
 */
export async function buildGo({ tool, fingerprint }: ToolCopy, script: string, ctx: ToolContext): Promise<string> {
  const copy = { folder: tool.folder, fingerprint: fingerprint as string };
  const known = findBuilt(copy, script);
  if (known !== undefined) return known;
  const argv = ['/bin/sh', '-c', BUILD, 'build', tool.folder, findRuntime('go', ctx.environment), `./${script}`];
  const environment = { ...toolEnvironment([], ctx), GOWORK: 'off', GOFLAGS: '' };
  const call = { name: tool.name, argv, folder: tool.folder, environment, input: '', timeout: LIMIT_MS };
  const { stopper, exitCode, stderr, stdout } = await launch(call, ctx);
  if (stopper === 'canceled') throw new ToolError('canceled', 'the request was canceled before the tool ran');
  if (stopper === undefined && exitCode === 0) return keepBuilt(copy, script, stdout);
  const why = { timeout: `it took longer than ${LIMIT_MS / 1000} seconds`, resource_limit: 'it is larger than 64 MB' };
  throw new ToolError('tool_failed', `${tool.name}: ${script} could not be built: ${stopper ? why[stopper] : stderr}`, {
    suggestion: `the tool is at fault, not the arguments: ask the person to mend it: ${toolsCommand('check', tool.name)}`,
  });
}
