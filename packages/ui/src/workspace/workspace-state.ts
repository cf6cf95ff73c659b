import { loadExactCounter } from '@jinn/context/tokens';
import type { Outcome } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { type CommandHost, describeRevoked } from '@jinn/custom-tools/commands/command-host';
import { runGrantsCommand } from '@jinn/custom-tools/commands/grant-commands';
import { runToolsCommand } from '@jinn/custom-tools/commands/tools-command';
import { visualizeChanges } from '@jinn/fs-tools/diff/visualize-changes';
import { builtInNames, type Engine, openEngine, toListedTool } from '@jinn/toolsets';
import { type MachineOptions, openMachine } from '@jinn/toolsets/machine';
import type { ChangedFile } from '@jinn/workspace';
import { compareSession } from './session-changes.ts';

const TOOLSETS = ['jinn', 'jinni', 'custom'];
const WIDTH = 100;
/** The start of the line in which a preview names what else goes. */
const LATER = 'later changes go too';

type Members = Readonly<Record<string, unknown>>;

/** What the page shows and changes of a workspace, all through the tools' own code, guard and checks. */
export type WorkspaceState = ReturnType<typeof openWorkspaceState>;

export type WorkspaceStateOptions = Pick<MachineOptions, 'home' | 'directories' | 'environment' | 'log'> & {
  readonly root: string;
  readonly version: string;
};

/** Opens what the page shows of a workspace. Nothing is read before it is asked for. */
export function openWorkspaceState({ version, ...options }: WorkspaceStateOptions) {
  const machine = openMachine(options);
  const served = { toolsets: TOOLSETS, excludeTools: [], readOnly: false };
  const engine = openEngine(machine, { version, served, showsVisualizations: true });
  const run = async (command: typeof runToolsCommand, argv: readonly string[], more: Partial<CommandHost> = {}) => {
    const written: string[] = [];
    const faults: string[] = [];
    const host = {
      machine: { ...machine, log: (line: string) => void faults.push(line) },
      version,
      builtIn: builtInNames(),
      width: WIDTH,
      color: false,
      write: (text: string) => void written.push(text),
      readInput: () => '',
    };
    const status = await command(argv, { ...host, ...more });
    if (faults.length > 0) throw new ToolError('invalid_args', faults.join('; '));
    return { status, text: written.join('') };
  };
  const grantsCommand: typeof runToolsCommand = (argv, host) => runGrantsCommand('jinn grants', argv, host);
  /** Goes through the command that trusts a tool up to its question, and gives the answer that `decide` has for what is shown. */
  const trust = async (name: string, decide: (shown: string) => boolean, variables = '') => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    const ask = async () => (decide(written.join('')) ? 'y' : 'n');
    const flags = [`--env=${variables}`];
    const { status } = await run(runToolsCommand, ['trust', ...flags, '--', name], { write, ask });
    return { isTrusted: status === 0, shown: written.join('') };
  };
  return {
    /** Calls a tool of jinn and returns its answer. Throws its error. */
    call: async (tool: 'undo' | 'memory', args: Members) => toAnswer(await engine.call({ tool, args })),
    /** Shows what an undo would do, and why it would be refused. */
    preview: async (args: Members) => {
      const outcome = await engine.call({ tool: 'undo', args: { ...args, action: 'preview' } });
      const { text: said, warnings = [] } = toAnswer(outcome);
      const { planned = [], facts } = (outcome.ok && outcome.picture) || {};
      const later = said?.split('\n').filter((line) => line.startsWith(LATER)) ?? [];
      const effects = [...planned.map(describeEffect), ...later, ...warnings];
      return { effects, visualization: visualizeChanges(planned), refusal: facts?.title };
    },
    /** Shows what some operations changed, taken together. */
    compare: (operations: ReadonlySet<string>) => compareSession(engine.call, operations),
    grants: async () => JSON.parse((await run(grantsCommand, ['list', '--json'])).text),
    /** Takes back one approval. Two may differ only in the user: one is for everybody, one for the user alone. */
    revoke: async ({ tool, type, key, forAll }: Members) => {
      const filter = { tool: text(tool, 'tool'), type: text(type, 'type'), key: text(key, 'key') };
      const count = await (await machine.grants()).revoke({ ...filter, forAll: forAll === true });
      return { text: describeRevoked(count) };
    },
    /** Lists the custom tools, the variables that they declare, and what the definition of each tool costs in tokens. */
    tools: async () => {
      const { tools, problems } = JSON.parse((await run(runToolsCommand, ['list', '--json'])).text);
      const variables = JSON.parse((await run(runToolsCommand, ['env', 'list', '--json'])).text);
      const lister = openEngine(machine, { version, served, dangerous: 'ask', isForModel: true });
      // The value of a variable is not shown: it can only be set.
      const shown = variables.map(({ value: _, ...rest }: { value?: unknown }) => rest);
      return { tools, problems, variables: shown, ...(await countList(lister)) };
    },
    /** Shows a tool of the workspace as it is, for the user who is to trust it. */
    describe: async (name: string) => ({ shown: (await trust(name, () => false)).shown }),
    /** Trusts a tool, if it still is what the user was shown. */
    trust: async ({ name, shown, variables = '' }: Members) => {
      const trusted = await trust(text(name, 'name'), (now) => now === shown, text(variables, 'variables'));
      if (trusted.isTrusted) return { text: `${name} is trusted as it is now` };
      throw new ToolError('conflict', 'the tool has changed since it was shown, and is not trusted', {
        suggestion: 'look at it again',
      });
    },
    setVariable: async ({ name, value }: Members) => {
      const words = value === null ? ['unset', text(name, 'name')] : ['set', text(name, 'name'), text(value, 'value')];
      return { text: (await run(runToolsCommand, ['env', '--', ...words])).text };
    },
  };
}

/** Counts the tools as a host lists them over MCP, with the tokenizer of jinni. */
async function countList(engine: Engine) {
  const { count } = await loadExactCounter();
  const tokensOf = (value: unknown) => count(Buffer.from(JSON.stringify(value)));
  const tools = await engine.describe();
  const listed = tools.map((tool) => toListedTool(tool, { hasRoots: false, viewUri: undefined }));
  const costs = listed.map((tool, i) => ({ name: tool.name, effect: tools[i]?.effect, tokens: tokensOf(tool) }));
  return { costs, total: tokensOf(listed) };
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new ToolError('invalid_args', `${name} must be a string`);
}

function describeEffect({ file: { path, content }, after, changed }: ChangedFile): string {
  if (!changed) return `${path}: no change`;
  if (after === undefined) return `${path}: deleted`;
  return `${path}: ${content === undefined ? 'created again' : 'changed'}`;
}

function toAnswer(outcome: Outcome) {
  if (!outcome.ok) throw outcome.error;
  const { text: said, data, visualization, warnings } = outcome;
  return { text: said, data, visualization, warnings };
}
