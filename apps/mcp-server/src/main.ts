import './plain-parsing.ts';
import fs from 'node:fs';
import { ToolError, UsageError } from '@jinn/core/errors';
import { type McpInvocation, parseOptions } from './options.ts';
import { printStatus, register } from './start/host-commands.ts';
import { runServer } from './start/run-server.ts';
import { asUsageError, findRoot, findState, ownTokenFile, VERSION, write } from './start/this-program.ts';

async function main(): Promise<void> {
  if (process.platform === 'win32') {
    throw new UsageError('jinn-mcp runs on Linux and macOS. On Windows, run it in WSL');
  }
  const invocation = readCommandLine();
  switch (invocation.do) {
    case 'serve':
      return runServer(invocation.options);
    case 'install':
    case 'uninstall':
      return register(invocation.do, invocation.install);
    case 'status':
      return printStatus(invocation.root);
    case 'grants':
      return runGrants(invocation);
    case 'tokens':
      return runTokens(invocation);
    case 'migrate':
      return migrate(invocation.team);
    case 'hook':
      return answerHook();
    case 'completion':
      return printCompletion(invocation.shell);
    case 'print':
      write(invocation.text);
  }
}

function readCommandLine(): McpInvocation {
  try {
    return parseOptions(process.argv.slice(2), VERSION);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\ntry jinn-mcp --help`);
  }
}

type Doing<T extends McpInvocation['do']> = Extract<McpInvocation, { readonly do: T }>;

async function runGrants({ argv, person, team, root }: Doing<'grants'>): Promise<void> {
  const { runGrantsProgram } = await import('./start/run-grants.ts');
  process.exitCode = await runGrantsProgram(argv, { team, root: findRoot(root), person });
}

async function runTokens({ command, team, file = ownTokenFile() }: Doing<'tokens'>): Promise<void> {
  const { runTokenCommand } = await import('@jinn/team/people/run-tokens');
  const { readTeamSettings } = await import('./start/team-of-options.ts');
  const settings = team === undefined ? undefined : await readTeamSettings(team);
  const { state } = findState().directories;
  const locks = state && `${state}/locks`;
  write(await asUsageError('tokens', () => runTokenCommand(command, { settings, file, locks })));
}

async function migrate(team: string): Promise<void> {
  const { migrateTeam } = await import('@jinn/team/open-team');
  const { readTeamSettings } = await import('./start/team-of-options.ts');
  const settings = await readTeamSettings(team);
  write(await asUsageError('migrate', () => migrateTeam(settings)));
}

async function answerHook(): Promise<void> {
  const { answerHook: answer } = await import('./install/answer-hook.ts');
  write(answer(fs.readFileSync(0, 'utf8')));
}

async function printCompletion(shell: string): Promise<void> {
  const [{ completionScript }, { MCP_SPEC }] = await Promise.all([
    import('@jinn/core/command-line/completion'),
    import('./mcp-spec.ts'),
  ]);
  try {
    write(completionScript(shell, 'jinn-mcp', MCP_SPEC));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    const isKnown = error instanceof UsageError || error instanceof ToolError;
    const suggestion = error instanceof ToolError && error.suggestion ? `; ${error.suggestion}` : '';
    process.stderr.write(isKnown ? `jinn-mcp: ${error.message}${suggestion}\n` : `${(error as Error).stack}\n`);
    process.exit(isKnown ? 2 : 1);
  },
);
