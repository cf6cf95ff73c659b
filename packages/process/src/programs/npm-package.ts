import path from 'node:path';
import type { Environment } from '@jinn/core';
import { readRegular } from '@jinn/workspace';
import { runProgram } from '../run-program.ts';
import { realPath } from '../system-files.ts';

const MAX_SCRIPT_BYTES = 16 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;
const LINKED = { followsLinks: true };
const MAX_PACKAGES = 2_000;
const VERSION_LIMIT_MS = 5_000;
const MAX_OUTPUT = 4_096;
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'];

/**
 * Returns the real directory of the npm package that holds a program, behind links and after the scripts that pnpm
 * writes instead of links, or undefined for a program outside of packages.
 */
export function packageOf(program: string): string | undefined {
  const real = realPath(program);
  if (real === undefined) return undefined;
  const file = targetOfScript(program, real) ?? real;
  const [, directory] = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^./\\][^/\\]*)[/\\]/.exec(file) ?? [];
  return directory;
}

/** Returns a package and its installed dependencies, as real directories. At most 2,000. */
export function withDependencies(directory: string): readonly string[] {
  const found = new Set([directory]);
  for (const each of found) {
    const manifest = readManifest(each);
    const names = DEPENDENCIES.flatMap((field) => Object.keys(manifest[field] ?? {}));
    for (const name of names) {
      const dependency = findDependency(each, name);
      if (dependency !== undefined && found.size < MAX_PACKAGES) found.add(dependency);
    }
  }
  return [...found];
}

/** Returns the version of a program as three numbers with dots: that of its npm package, or what `--version` prints. */
export async function programVersion(file: string, packageName: string, env: Environment): Promise<string | undefined> {
  return installedVersion(file, packageName) ?? askVersion(file, env);
}

/** Returns the version of a program by its npm package, which has this name. Nothing is started. */
export function installedVersion(file: string, packageName: string): string | undefined {
  const directory = packageOf(file) ?? path.join(path.dirname(realPath(file) ?? file), '..');
  const { name, version } = readManifest(directory);
  return name === packageName && typeof version === 'string' ? version : undefined;
}

async function askVersion(command: string, env: Environment): Promise<string | undefined> {
  let output = '';
  const asked = runProgram({
    command,
    args: ['--version'],
    cwd: '/',
    env,
    limitMs: VERSION_LIMIT_MS,
    onData: (chunk) => {
      output = (output + chunk.toString('latin1')).slice(0, MAX_OUTPUT);
    },
  });
  const status = await asked.then((ended) => ended.status).catch(() => 1);
  return status === 0 ? /\d+\.\d+\.\d+/.exec(output)?.[0] : undefined;
}

function readManifest(directory: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(
      readRegular(path.join(directory, 'package.json'), MAX_MANIFEST_BYTES, LINKED)?.toString() ?? '',
    );
    return typeof manifest === 'object' && manifest !== null ? (manifest as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function findDependency(directory: string, name: string): string | undefined {
  for (let at = directory; ; at = path.dirname(at)) {
    const real = realPath(path.join(at, 'node_modules', name));
    if (real !== undefined) return real;
    if (at === path.dirname(at)) return undefined;
  }
}

/** Returns the target of a script such as `exec node "$basedir/../x/cli.js" "$@"`, or undefined for any other script. */
function targetOfScript(program: string, real: string): string | undefined {
  if (!/[/\\]node_modules[/\\]\.bin[/\\]/.test(real)) return undefined;
  const script = readRegular(real, MAX_SCRIPT_BYTES)?.toString('latin1') ?? '';
  const [, target] = /"\$basedir\/(\.\.\/[^"$]+)"/.exec(script) ?? [];
  return target === undefined ? undefined : realPath(path.join(path.dirname(program), target));
}
