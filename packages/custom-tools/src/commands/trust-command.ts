import { ToolError } from '@jinn/core/errors';
import { toVisible } from '@jinn/core/text';
import { TOOL_TRUST, TOOL_VARIABLE, toolTrust, variableTrust } from '@jinn/core/trust';
import type { ToolDefinition } from '../define/definition.ts';
import type { FoundTool } from '../discover.ts';
import { describeFolder, fingerprintFolder, shortFingerprint } from '../folders/index.ts';
import { copyFound } from '../run/tool-copy.ts';
import {
  type CommandArgs,
  type CommandHost,
  confirm,
  invalid,
  survey,
  type TerminalCommand,
  toTable,
} from './command-host.ts';

const MAX_LINES = 10;
const MAX_LISTED = 20;

/** Makes the command by which `program`, such as `jinn tools`, allows tools of the workspace. */
export const trustCommand = (program: string): TerminalCommand => ({
  usage: 'trust [NAME…|--all] [--env=VARIABLE,…] [--yes]',
  about: 'Trust tools in .jinn/tools of this directory',
  flags: {
    all: { about: 'Select all' },
    env: { about: 'Pass these variables to the tool', value: 'NAMES' },
    yes: { about: 'Do not ask' },
  },
  maxWords: 100,
  help: `Tools in .jinn/tools of a directory are off until you allow them, each as it is: after any change in its folder it is off
again. Without a name this lists them with their fingerprints. ${program} revoke NAME ${TOOL_TRUST} takes it back.

  --env  the variables of .env that the tool gets, of those that it asks for; none if you name none

  ${program} trust
  ${program} trust word-count
  ${program} trust deploy --env=DEPLOY_TOKEN
  ${program} trust --all`,
  run: async (given, host) => {
    if (host.forAll === true && (await host.machine.grants()).person !== '')
      throw invalid('trust allows to everybody, not to one person', 'leave --person out');
    const { tools, untrusted } = await survey(host);
    const brought = [...tools.filter(({ origin }) => origin === 'workspace'), ...untrusted];
    const isAll = given.flags['all'] === true;
    if (given.words.length === 0 && !isAll) return list(brought, untrusted, host);
    const chosen = isAll ? untrusted : given.words.map((name) => find(name, brought, program));
    rejectUnasked(chosen, given);
    if (chosen.length === 0) host.write('nothing to allow\n');
    for (const tool of chosen) if (!(await trust(tool, given, host))) return 1;
    return 0;
  },
});

async function trust(tool: FoundTool, given: CommandArgs, host: CommandHost): Promise<boolean> {
  const { workspace, grants } = host.machine;
  const copy = await copyFound(tool, workspace);
  if (copy === undefined) {
    throw new ToolError('resource_limit', `${tool.shown} is too large to be trusted`, {
      suggestion: 'remove what it does not need',
    });
  }
  host.write(toTable([toCells(tool, copy.fingerprint)]) + describeTool(tool, copy.folder));
  if (!(await confirm(`Allow ${tool.name} to run in ${workspace.root}?`, given, host))) return false;
  const variables = await chooseVariables(tool, given, host);
  const known = await grants();
  const { forAll = false } = host;
  // The others stay: for everybody, or of only the user.
  await known.revoke({ tool: tool.name, type: TOOL_VARIABLE, forAll });
  const subjects = [toolTrust(tool), ...variables.map((variable) => variableTrust(tool, variable))];
  for (const subject of subjects) await known.add({ ...subject, fingerprint: copy.fingerprint }, { forAll });
  host.write(`allowed ${tool.name}${variables.length > 0 ? `, with ${variables.join(', ')}` : ''}\n`);
  return true;
}

async function chooseVariables(
  { env }: FoundTool,
  { flags }: CommandArgs,
  { ask }: CommandHost,
): Promise<readonly string[]> {
  if (env.length === 0) return [];
  const isAsked = flags['env'] === undefined && flags['yes'] !== true && ask;
  const question = `Name those of ${env.join(', ')} that it gets from your .env, or nothing: `;
  const named = namesIn(isAsked ? await ask(question) : flags['env']);
  return env.filter((name) => named.includes(name));
}

function namesIn(text: string | boolean | undefined): string[] {
  return String(text ?? '')
    .split(/[\s,]+/)
    .filter(Boolean);
}

function rejectUnasked(chosen: readonly FoundTool[], { flags }: CommandArgs): void {
  const unasked = namesIn(flags['env']).find((name) => !chosen.some(({ env }) => env.includes(name)));
  if (unasked !== undefined) throw invalid(`no tool that is to be allowed asks for ${unasked}`, 'nothing was allowed');
}

function list(brought: readonly FoundTool[], untrusted: readonly FoundTool[], { write }: CommandHost): number {
  if (brought.length === 0) write('this directory brings no tools\n');
  for (const tool of brought) {
    const fingerprint = fingerprintFolder(tool.folder);
    write(toTable([[untrusted.includes(tool) ? 'off' : 'allowed', ...toCells(tool, fingerprint)]]));
    if (fingerprint !== undefined) write(describeTool(tool, tool.folder));
  }
  return 0;
}

function find(name: string, brought: readonly FoundTool[], program: string): FoundTool {
  const tool = brought.find((found) => found.name === name);
  if (tool) return tool;
  throw new ToolError('not_found', `no tool ${name} of this directory waits to be allowed`, {
    suggestion: `${program} trust lists them`,
  });
}

function toCells({ name, shown, runtime, dangerous }: FoundTool, fingerprint: string | undefined): string[] {
  const code = fingerprint === undefined ? 'too large' : shortFingerprint(fingerprint);
  return [name, shown, runtime, code, dangerous ? '⚠ dangerous' : ''].map(toVisible);
}

/**
 * Describes a tool to a user who is to allow it, a line each: its own description, what it runs, whether it asks,
 * which variables it wants, and the links that leave its folder.
 */
export function describeTool(definition: ToolDefinition, folder: string): string {
  const { description, script, securityScript, requireApproval, env } = definition;
  const { files, linksOut } = describeFolder(folder);
  const said = description.split('\n');
  const asks = requireApproval
    ? 'each time'
    : securityScript === undefined
      ? 'never'
      : `when ${securityScript} asks for it`;
  return [
    ...said.slice(0, MAX_LINES),
    ...(said.length > MAX_LINES ? [`… ${said.length - MAX_LINES} more lines`] : []),
    `runs ${script}, of ${files} ${files === 1 ? 'file' : 'files'}`,
    `asks a user: ${asks}`,
    env.length === 0 ? 'reads no variable of .env' : `asks for variables of .env: ${env.join(', ')}`,
    ...linksOut.slice(0, MAX_LISTED).map((link) => `a link that leaves the folder: ${link}`),
    ...(linksOut.length > MAX_LISTED ? [`… ${linksOut.length - MAX_LISTED} more links that leave the folder`] : []),
  ]
    .map((line) => `    ${toVisible(line)}\n`)
    .join('');
}
