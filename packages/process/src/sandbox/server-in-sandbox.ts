import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { realPath, type ServerCommand, type ServerProcess, startServer, startSupervised } from '../index.ts';
import type { ConfinedCommandLine, Confinement } from './confinement.ts';
import { ATTEMPTS, confine, throwUnlessChanged, withOwnTmp } from './start-confined.ts';

/** Starts a server in the sandbox that the policy requires. Throws the errors of `confine`. */
export async function startInSandbox(command: ServerCommand, confinement: Confinement): Promise<ServerProcess> {
  const { argv, program } = findHiddenProgram(command.argv);
  for (let attempt = 1; ; attempt++) {
    const confined = await confine(argv, { ...confinement, program });
    const own = { ...command, argv: confined.argv, environment: withOwnTmp(command.environment, confined.sandbox) };
    if (confined.view.length === 0) return checked(startServer(own), confined);
    try {
      const started = startSupervised(own, confined.view);
      if (!started) throw new ToolError('internal', 'the server could not be started');
      await started.built;
      return checked(started.server, confined);
    } catch (error) {
      await confined.check();
      await throwUnlessChanged(error, confinement, attempt === ATTEMPTS);
    }
  }
}

/**
 * Finds the file in a command line that is below /tmp, which is another directory inside, and the part of its path that
 * is shown: the outermost `node_modules`, or only the file. Security: others may own the files around it.
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
