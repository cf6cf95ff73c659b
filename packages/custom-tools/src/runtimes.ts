import { type Environment, ToolError } from '@jinn/core';
import { findBash, findPrograms } from '@jinn/process';

export const RUNTIMES = ['bun', 'node', 'python', 'bash', 'go', 'binary', 'powershell'] as const;

export type Runtime = (typeof RUNTIMES)[number];

interface Launcher {
  readonly program: string;
  /** What comes before the script. */
  readonly args: readonly string[];
  readonly install: string;
}

/** How each runtime starts a script. A binary is started itself. */
const LAUNCHERS: Readonly<Record<Exclude<Runtime, 'binary'>, Launcher>> = {
  bun: { program: 'bun', args: ['run'], install: 'npm install -g bun, or see bun.sh' },
  node: { program: 'node', args: [], install: 'see nodejs.org' },
  // -B: files of compiled code in the folder would change what a person approved.
  python: { program: 'python3', args: ['-B'], install: 'apt install python3, brew install python3' },
  bash: { program: 'bash', args: [], install: 'apt install bash, brew install bash' },
  go: { program: 'go', args: ['run'], install: 'apt install golang-go, brew install go, or see go.dev' },
  powershell: { program: 'pwsh', args: ['-File'], install: 'see github.com/PowerShell/PowerShell' },
};

/** Returns the command line that runs a script. Throws `not_found` if the runtime is not installed. */
export function commandLine(runtime: Runtime, script: string, environment: Environment): string[] {
  if (runtime === 'binary') return [script];
  const { program, args, install } = LAUNCHERS[runtime];
  const found = findRuntime(runtime, environment);
  if (found !== undefined) return [found, ...args, script];
  throw new ToolError('not_found', `the tool needs ${program}, which is not on the PATH`, {
    suggestion: `ask the person to install ${program}: ${install}`,
  });
}

/** Says which program a tool needs that is not installed; undefined if nothing is missing. */
export function missingProgram(runtime: Runtime, environment: Environment): string | undefined {
  if (runtime === 'binary' || findRuntime(runtime, environment) !== undefined) return undefined;
  return LAUNCHERS[runtime].program;
}

/** Finds the program of a runtime on the PATH of jinn; undefined if it is not installed. */
function findRuntime(runtime: Exclude<Runtime, 'binary'>, environment: Environment): string | undefined {
  const [found] = findPrograms(LAUNCHERS[runtime].program, environment['PATH'] ?? '');
  return found ?? (runtime === 'bash' ? findBash() : undefined);
}
