import type { Grant, GrantFilter, Grants } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { toVisibleJson } from '@jinn/core/text';
import { SERVER_TOOL, TOOL_TRUST } from '@jinn/core/trust';
import { fingerprintFolder, shortFingerprint } from '../folders/index.ts';
import {
  type CommandArgs,
  type CommandHost,
  confirm,
  describeRevoked,
  invalid,
  requiredWord,
  survey,
  type TerminalCommand,
  toTable,
} from './command-host.ts';
import { type CommandFamily, runCommandLine } from './command-line.ts';

const GONE = 'the tool is gone';
const CHANGED = 'its code has changed';

const ABOUT = `Lists the approvals that are saved for this directory: of commands, of custom tools, of tools and servers of the
workspace. An approval whose files have changed no longer counts, and is shown as ended.`;

const WHOM = ['everybody', 'me'];

export const grantsCommand: TerminalCommand = {
  usage: 'grants [--json] | grants add NAME TYPE KEY [--yes]',
  about: 'List saved approvals of this directory, or add one',
  flags: { json: { about: 'Print JSON' }, yes: { about: 'Do not ask' } },
  maxWords: 4,
  help: `${ABOUT}
grants add gives one: NAME may do what its check calls TYPE and KEY, as long as its folder does not change.

  jinn tools grants
  jinn tools grants add deploy tool deploy
  jinn tools revoke deploy`,
  run: async (given, host) => {
    if (given.words[0] === 'add') return add(given, host);
    if (given.words.length > 0) throw invalid(`unknown command grants ${given.words[0]}`, 'it is add, or nothing');
    return list(given, host);
  },
};

/** Makes the command that revokes approvals. `program` is before it. */
export function revokeCommand(program: string): TerminalCommand {
  return {
    usage: 'revoke NAME [TYPE [KEY]] [--for=WHOM] | revoke --all [--for=WHOM]',
    about: 'Revoke saved approvals',
    flags: {
      all: { about: 'Select all' },
      for: { about: 'Select those for everybody, or only yours', value: 'WHOM', choices: WHOM },
    },
    maxWords: 3,
    help: `Takes back what was allowed for good in this directory: all of a tool, of a type, one key, or everything. Where
the same is allowed to everybody and to you, --for=everybody and --for=me take back one of the two.

  ${program} revoke deploy
  ${program} revoke deploy file_write /etc/hosts
  ${program} revoke deploy --for=everybody
  ${program} revoke --all`,
    run: revoke,
  };
}

/** Makes the commands behind `jinn grants` or `jinn-mcp grants`, which may have more than two. */
export function grantsFamily(program: string, more: CommandFamily['commands'] = {}): CommandFamily {
  const listCommand: TerminalCommand = {
    usage: '[list] [--json]',
    about: 'List saved approvals of this directory',
    flags: { json: { about: 'Print JSON' } },
    maxWords: 0,
    help: `${ABOUT}\n\n  ${program}\n  ${program} list --json`,
    run: list,
  };
  return {
    program,
    introduction: `usage: ${program} [COMMAND …]\n\nList and revoke saved approvals of this directory. See docs/approvals.md.\n`,
    commands: { list: listCommand, revoke: revokeCommand(program), ...more },
  };
}

/** Runs what is behind `jinn grants` or `jinn-mcp grants`. Without a command it lists. Returns the exit status. */
export function runGrantsCommand(
  program: string,
  argv: readonly string[],
  host: CommandHost,
  more?: CommandFamily['commands'],
): Promise<number> {
  const isList = argv.length === 0 || argv[0] === '--json';
  return runCommandLine(grantsFamily(program, more), isList ? ['list', ...argv] : argv, host);
}

async function list({ flags }: CommandArgs, host: CommandHost): Promise<number> {
  const grants = await (await host.machine.grants()).list();
  const endOf = await createEndFinder(grants, host);
  if (flags['json'] === true) {
    const rows = grants.map((grant) => ({ ...grant, ended: endOf(grant) }));
    host.write(`${toVisibleJson(rows, 1)}\n`);
  } else if (grants.length === 0) host.write('there are no saved approvals here\n');
  else host.write(toTable(grants.map((grant) => toCells(grant, endOf(grant)))));
  return 0;
}

async function revoke(given: CommandArgs, host: CommandHost): Promise<number> {
  const [tool, type, key] = given.words;
  if ((tool === undefined) !== (given.flags['all'] === true)) throw invalid('name a tool, or give --all', 'see --help');
  const grants = await host.machine.grants();
  const whom = toWhom(given, grants);
  const filter: GrantFilter = { ...(tool && { tool }), ...(type && { type }), ...(key && { key }), ...whom };
  const meant = await findMeant(grants, filter);
  const count = await grants.revoke(filter);
  host.write(`${describeRevoked(count)}\n${toTable(meant.map((grant) => toCells(grant, undefined)))}`);
  return count === 0 && tool !== undefined ? 1 : 0;
}

function toWhom({ flags: { for: whom } }: CommandArgs, { person }: Grants): Pick<GrantFilter, 'forAll'> {
  if (whom === undefined) return {};
  if (!WHOM.includes(String(whom))) throw invalid(`--for takes ${WHOM.join(' or ')}`, 'see --help');
  if (whom === 'everybody' && person !== '')
    throw invalid(`${person} cannot revoke approvals for everybody`, 'leave --person out');
  return { forAll: whom === 'everybody' };
}

/** Finds what a filter revokes. A user with a name cannot revoke what counts for everybody. */
export async function findMeant(grants: Grants, filter: GrantFilter): Promise<readonly Grant[]> {
  const isMeant = (grant: Grant) =>
    (grants.person === '' || !grant.forAll) &&
    Object.entries(filter).every(([key, value]) => grant[key as keyof GrantFilter] === value);
  return (await grants.list()).filter(isMeant);
}

async function add(given: CommandArgs, host: CommandHost): Promise<number> {
  const [name, type, key] = [
    requiredWord(given, 1, 'NAME'),
    requiredWord(given, 2, 'TYPE'),
    requiredWord(given, 3, 'KEY'),
  ];
  const tool = (await survey(host)).tools.find((found) => found.name === name);
  if (!tool)
    throw new ToolError('not_found', `there is no custom tool ${name}`, { suggestion: 'jinn tools list shows them' });
  const fingerprint = fingerprintFolder(tool.folder);
  if (fingerprint === undefined) {
    throw new ToolError('resource_limit', `the folder of ${name} is too large to be remembered`, {
      suggestion: 'approve each call',
    });
  }
  const question = `${name} (${tool.shown}, ${shortFingerprint(fingerprint)}) may do ${type}: ${key} in ${host.machine.workspace.root}, without asking?`;
  if (!(await confirm(question, given, host))) return 1;
  await (await host.machine.grants()).add({ tool: name, type, key, fingerprint });
  host.write('allowed\n');
  return 0;
}

function toCells({ tool, type, key, fingerprint, created, forAll }: Grant, ended: string | undefined): string[] {
  const version = /^[0-9a-f]{64}$/.test(fingerprint) ? shortFingerprint(fingerprint) : '';
  const end = ended === undefined ? '' : `ended: ${ended}`;
  const day = created.toISOString().slice(0, 10);
  return [tool, type, JSON.stringify(key), version, day, forAll ? 'for everybody' : '', end];
}

async function createEndFinder(
  grants: readonly Grant[],
  host: CommandHost,
): Promise<(grant: Grant) => string | undefined> {
  const { tools, untrusted } = await survey(host);
  const folders = [...tools, ...untrusted];
  const { listLanguages } = await import('@jinn/lsp');
  const servers = grants.some(({ tool }) => tool === SERVER_TOOL)
    ? await listLanguages(host.machine).then(({ languages }) => languages.flatMap((each) => each.servers))
    : [];
  return ({ tool, type, key, fingerprint }) => {
    if (tool === SERVER_TOOL) return servers.some(({ id, untrusted: own }) => id === key && own) ? CHANGED : undefined;
    // Grants for commands from before all that runs was bound have the command instead of a hash.
    if (host.builtIn.has(tool)) return fingerprint === key ? 'an older jinn gave it' : undefined;
    const found = folders.find(({ name, shown }) => (type === TOOL_TRUST ? shown === key : name === tool));
    if (!found) return GONE;
    return fingerprintFolder(found.folder) === fingerprint ? undefined : CHANGED;
  };
}
