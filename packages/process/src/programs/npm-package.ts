import path from 'node:path';
import { readRegular } from '@jinn/workspace';
import { realPath } from '../real-path.ts';

/** A script that stands for the program of a package is much shorter. */
const MAX_SCRIPT_BYTES = 16 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;
const LINKED = { followsLinks: true };
const MAX_PACKAGES = 2_000;
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'];

/**
 * Returns the directory of the npm package that holds a program, absolute and real: the package below node_modules
 * behind links, and behind the scripts that pnpm writes in place of links. Returns undefined for a program outside of
 * packages.
 */
export function packageOf(program: string): string | undefined {
  const real = realPath(program);
  if (real === undefined) return undefined;
  const file = targetOfScript(program, real) ?? real;
  const [, directory] = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^./\\][^/\\]*)[/\\]/.exec(file) ?? [];
  return directory;
}

/** Returns a package and its installed dependencies, as real directories; at most 2,000. */
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

/** Returns the version in the manifest of a package; undefined if it does not have this name. */
export function packageVersion(directory: string, packageName: string): string | undefined {
  const { name, version } = readManifest(directory);
  return name === packageName && typeof version === 'string' ? version : undefined;
}

/** Reads the manifest of a package; an empty object if it cannot be read. */
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

/** Looks for a package as Node does: in the node_modules of each directory upward. */
function findDependency(directory: string, name: string): string | undefined {
  for (let at = directory; ; at = path.dirname(at)) {
    const real = realPath(path.join(at, 'node_modules', name));
    if (real !== undefined) return real;
    if (at === path.dirname(at)) return undefined;
  }
}

/** Returns the target of a script such as `exec node "$basedir/../x/cli.js" "$@"`; undefined for any other script. */
function targetOfScript(program: string, real: string): string | undefined {
  if (!/[/\\]node_modules[/\\]\.bin[/\\]/.test(real)) return undefined;
  const script = readRegular(real, MAX_SCRIPT_BYTES)?.toString('latin1') ?? '';
  const [, target] = /"\$basedir\/(\.\.\/[^"$]+)"/.exec(script) ?? [];
  return target === undefined ? undefined : realPath(path.join(path.dirname(program), target));
}
