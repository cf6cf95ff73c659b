import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { realPath, type ServerCommand, type ServerProcess, startServer, startSupervised } from '../index.ts';
import { type ConfinedCommandLine, type Confinement, confine } from './confine.ts';
import { ATTEMPTS, throwUnlessChanged, withOwnTmp } from './start-confined.ts';

/** Starts a server in the sandbox that the policy requires. Throws the errors of `confine`. */
export async function startInSandbox(command: ServerCommand, confinement: Confinement): Promise<ServerProcess> {
  const { argv, program } = findHiddenProgram(command.argv);
  for (let attempt = 1; ; attempt++) {
    const confined = await confine(argv, { ...confinement, program });
    const own = { ...command, argv: confined.argv, environment: withOwnTmp(command.environment, confined.sandbox) };
    if (confined.view.length === 0) return checked(startServer(own), confined);
    try {
      return checked(await startInView(own, confined.view), confined);
    } catch (error) {
      await confined.check();
      throwUnlessChanged(error, attempt === ATTEMPTS);
    }
  }
}

/**
 * Finds the file in a command line that lies below /tmp, which is another directory inside. Returns the part of its
 * path that must be shown: the outermost `node_modules` that it lies in, else only the file itself. Security: other
 * files beside it may be anybody's.
 */
function findHiddenProgram(argv: readonly string[]): { argv: readonly string[]; program?: string } {
  const at = argv.findIndex((word) => hiddenFile(word) !== undefined);
  const file = at < 0 ? undefined : hiddenFile(argv[at] as string);
  if (file === undefined) return { argv };
  const [program = file] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [];
  return { argv: argv.with(at, file), program };
}

function hiddenFile(word: string): string | undefined {
  const path = word.startsWith('/') ? realPath(word) : undefined;
  return path?.startsWith('/tmp/') && fs.statSync(path).isFile() ? path : undefined;
}

function checked(server: ServerProcess, { check }: ConfinedCommandLine): ServerProcess {
  server.ended.then(check).catch(() => {}); // A place that is gone, or may not be read, holds no trap for git.
  return server;
}

/** Starts a server in a view. Rejects with ViewError if it cannot be built. */
async function startInView(command: ServerCommand, view: readonly string[]): Promise<ServerProcess> {
  const started = startSupervised(command, view);
  if (!started) throw new ToolError('internal', 'the server could not be started');
  await started.built;
  return started.server;
}
