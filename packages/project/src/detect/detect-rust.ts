import { posix } from 'node:path';
import type { Manifest } from '../files/manifest.ts';
import type { DetectFunction, MemberPatterns } from './finding.ts';
import { frameworksOf } from './frameworks.ts';

const KINDS = ['dependencies', 'dev-dependencies', 'build-dependencies'];

/** Detects Rust from the Cargo.toml of a package or a workspace. */
export const detectRust: DetectFunction = async (directory, { file }) => {
  const manifest = await directory.toml(file);
  const isWorkspace = manifest.has('workspace');
  const all = isWorkspace ? ' --workspace' : '';
  const tables = [manifest, manifest.table('workspace')];
  const dependencies = tables.flatMap((table) => KINDS.flatMap((kind) => table.table(kind).keys()));
  const named = manifest.table('package');
  return {
    languages: ['Rust'],
    frameworks: frameworksOf('cargo', dependencies),
    managers: ['cargo'],
    build: `cargo build${all}`,
    test: `cargo test${all}`,
    lint: `cargo clippy${all}`,
    ...(isWorkspace && {
      members: [cargoMembers(manifest.table('workspace')), { patterns: pathsOf(manifest), file, arePaths: true }],
    }),
    name: named.string('name'),
    // The value may be a table that takes it from the workspace.
    description: named.stringIfAny('description'),
  };
};

function pathsOf(manifest: Manifest): string[] {
  const paths = KINDS.flatMap((kind) => {
    const dependencies = manifest.table(kind);
    return dependencies.keys().map((name) => dependencies.tableIfAny(name).stringIfAny('path'));
  });
  return paths.filter((path) => path !== undefined).filter((path) => !posix.normalize(path).startsWith('..'));
}

function cargoMembers(workspace: Manifest): MemberPatterns {
  const left = workspace.strings('exclude').map((pattern) => `!${pattern}`);
  return { patterns: [...workspace.strings('members'), ...left], file: 'Cargo.toml' };
}
