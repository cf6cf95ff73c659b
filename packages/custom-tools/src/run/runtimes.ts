import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findBash, findPrograms, programVersion } from '@jinn/process';

export const RUNTIMES = ['bun', 'node', 'python', 'bash', 'go', 'binary', 'powershell'] as const;

export type ToolRuntime = (typeof RUNTIMES)[number];

type InterpretedRuntime = Exclude<ToolRuntime, 'binary'>;

interface Launcher {
  readonly program: string;
  /** The arguments before the script. */
  readonly args: readonly string[];
  readonly install: string;
}

/**
 * The ways in which runtimes start a script. A binary starts by itself, and so does the program that go builds from a
 * script.
 */
const LAUNCHERS: Readonly<Record<InterpretedRuntime, Launcher>> = {
  // Security: bun obeys the bunfig.toml of the working directory, which may load code before the script, and its .env.
  bun: {
    program: 'bun',
    args: ['--config=/dev/null', '--no-env-file', 'run'],
    install: 'npm install -g bun, or see bun.sh',
  },
  node: { program: 'node', args: [], install: 'see nodejs.org' },
  // -B: files of compiled code in the folder would change what the user approved.
  python: { program: 'python3', args: ['-B'], install: 'apt install python3, brew install python3' },
  bash: { program: 'bash', args: [], install: 'apt install bash, brew install bash' },
  go: { program: 'go', args: [], install: 'apt install golang-go, brew install go, or see go.dev' },
  powershell: { program: 'pwsh', args: ['-File'], install: 'see github.com/PowerShell/PowerShell' },
};

/** Returns the command line that runs a script. Throws `not_found` if the runtime is not installed. */
export function commandLine(runtime: ToolRuntime, script: string, environment: Environment): string[] {
  if (runtime === 'binary') return [script];
  return [findRuntime(runtime, environment), ...LAUNCHERS[runtime].args, script];
}

/** Finds the program of a runtime. Throws `not_found` if it is not installed. */
export function findRuntime(runtime: InterpretedRuntime, environment: Environment): string {
  const found = searchRuntime(runtime, environment);
  if (found !== undefined) return found;
  const { program, install } = LAUNCHERS[runtime];
  throw new ToolError('not_found', `the tool needs ${program}, which is not on the PATH`, {
    suggestion: `ask the user to install ${program}: ${install}`,
  });
}

/** Returns the program that a tool needs and that is not installed, or undefined if nothing is missing. */
export function missingProgram(runtime: ToolRuntime, environment: Environment): string | undefined {
  if (runtime === 'binary' || searchRuntime(runtime, environment) !== undefined) return undefined;
  return LAUNCHERS[runtime].program;
}

/** Returns why the runtime that is installed here cannot run a script, or undefined if no reason is known. */
export async function findRuntimeFault(
  runtime: ToolRuntime,
  script: string,
  environment: Environment,
): Promise<string | undefined> {
  const program = runtime === 'node' && TYPESCRIPT.test(script) ? searchRuntime('node', environment) : undefined;
  const version = program && (await programVersion(program, 'node', environment));
  if (version === undefined || (stripsTypes(version) && !script.endsWith('x'))) return undefined;
  return `Node ${version} does not run ${script}: use bun, or ${script.endsWith('x') ? 'JavaScript' : 'Node 22.18 or newer'}`;
}

const TYPESCRIPT = /\.(?:[cm]?ts|tsx)$/;

function stripsTypes(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

function searchRuntime(runtime: InterpretedRuntime, environment: Environment): string | undefined {
  const [found] = findPrograms(LAUNCHERS[runtime].program, environment['PATH'] ?? '');
  return found ?? (runtime === 'bash' ? findBash() : undefined);
}
