import './plain-parsing.ts';
import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { type Invocation, parseOptions } from './options.ts';
import { findRoot, findState, lockDirectory, ownTokenFile } from './start/find-places.ts';
import { printStatus, register } from './start/host-commands.ts';
import { readTeamSettings } from './start/read-team-settings.ts';
import { runServer } from './start/run-server.ts';
import { asUsageError, UsageError } from './start/usage-error.ts';
import { VERSION } from './start/version.ts';
import { write } from './start/write.ts';

async function main(): Promise<void> {
  if (process.platform === 'win32') {
    throw new UsageError('jinn-mcp runs on Linux and macOS; on Windows, run it inside WSL');
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
    case 'hook':
      return answerHook();
    case 'completion':
      return printCompletion(invocation.shell);
    case 'print':
      write(invocation.text);
  }
}

function readCommandLine(): Invocation {
  try {
    return parseOptions(process.argv.slice(2), VERSION);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\ntry jinn-mcp --help`);
  }
}

type Doing<T extends Invocation['do']> = Extract<Invocation, { readonly do: T }>;

async function runGrants({ argv, person, team, root }: Doing<'grants'>): Promise<void> {
  const { runGrants: run } = await import('./run-grants.ts');
  process.exitCode = await run(argv, {
    ...findState(),
    settings: await readTeamSettings(team),
    root: findRoot(root),
    person,
    environment: process.env,
    version: VERSION,
    write,
  });
}

async function runTokens({ command, team, file = ownTokenFile() }: Doing<'tokens'>): Promise<void> {
  const { runTokenCommand } = await import('./people/run-tokens.ts');
  const settings = team === undefined ? undefined : await readTeamSettings(team);
  write(await asUsageError('tokens', () => runTokenCommand(command, { settings, file, locks: lockDirectory() })));
}

async function answerHook(): Promise<void> {
  const { answerHook: answer } = await import('./install/answer-hook.ts');
  write(answer(fs.readFileSync(0, 'utf8')));
}

async function printCompletion(shell: string): Promise<void> {
  const [{ completionScript }, { SPEC }] = await Promise.all([
    import('@jinn/core/command-line/completion'),
    import('./mcp-spec.ts'),
  ]);
  try {
    write(completionScript(shell, 'jinn-mcp', SPEC));
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
