import type { Detect, MemberPatterns } from './finding.ts';
import { frameworksOf } from './frameworks.ts';
import type { Manifest } from './manifest.ts';

const MAX_MODULES = 20;
const MAX_LINE = 2_000;
/** Security: they go into a command. */
const PLAIN_PATH = /^[\w][\w./-]*$/;

/** Go: go.mod, and go.work with the modules that it uses. */
export const detectGo: Detect = async (directory) => {
  if (!directory.has('go.mod', 'go.work')) return undefined;
  const module = directory.text('go.mod') ?? '';
  const modules = usesOf(directory.text('go.work') ?? '');
  const packages = directory.has('go.mod') ? './...' : packagesOf(modules);
  return {
    languages: ['Go'],
    frameworks: frameworksOf('go', requiredBy(module)),
    managers: ['go'],
    build: `go build ${packages}`,
    test: `go test ${packages}`,
    lint: 'golangci-lint run',
    ...(directory.has('go.work') && { members: { patterns: modules, file: 'go.work' } }),
    name: /^module[ \t]+"?([^\s"]+)/m.exec(module)?.[1],
  };
};

function requiredBy(module: string): string[] {
  const words = linesOf(module).map((line) =>
    line
      .replace(/^require\s/, '')
      .trim()
      .split(/\s+/, 2),
  );
  return words.filter(([, version]) => /^v\d/.test(version ?? '')).map(([name = '']) => name.replace(/\/v\d+$/, ''));
}

/** The directories after `use`, one a line in parentheses or alone. */
function usesOf(work: string): string[] {
  const paths: string[] = [];
  let isInside = false;
  for (const line of linesOf(work)) {
    const [, rest] = /^use(?=[\s(])\s*(.*)/.exec(line) ?? [];
    if (rest === undefined && !isInside) continue;
    const text = (rest ?? line).trim();
    if (text === '' || text === '(' || text === ')') isInside = text === '' ? isInside : text === '(';
    else paths.push(text.replace(/^"(.*)"$/, '$1'));
  }
  return paths;
}

/** Lines without comments. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.length <= MAX_LINE);
  return lines.map((line) => line.replace(/\/\/.*/, ''));
}

function packagesOf(modules: readonly string[]): string {
  const paths = modules.map((path) => path.replace(/^\.\/|\/$/g, '')).filter((path) => PLAIN_PATH.test(path));
  const all = paths.slice(0, MAX_MODULES).map((path) => `./${path}/...`);
  return all.length === 0 ? './...' : all.join(' ');
}

/** Rust: Cargo.toml, of a package or a workspace. */
export const detectRust: Detect = async (directory) => {
  if (!directory.has('Cargo.toml')) return undefined;
  const manifest = await directory.toml('Cargo.toml');
  const isWorkspace = manifest.has('workspace');
  const all = isWorkspace ? ' --workspace' : '';
  const tables = [manifest, manifest.table('workspace')];
  const dependencies = tables.flatMap((table) =>
    ['dependencies', 'dev-dependencies', 'build-dependencies'].flatMap((key) => table.table(key).keys()),
  );
  const named = manifest.table('package');
  return {
    languages: ['Rust'],
    frameworks: frameworksOf('rust', dependencies),
    managers: ['cargo'],
    build: `cargo build${all}`,
    test: `cargo test${all}`,
    lint: `cargo clippy${all}`,
    ...(isWorkspace && { members: cargoMembers(manifest.table('workspace')) }),
    name: named.string('name'),
    // Both may be taken over from the workspace, by a table.
    description: named.stringIfAny('description'),
  };
};

function cargoMembers(workspace: Manifest): MemberPatterns {
  const left = workspace.strings('exclude').map((pattern) => `!${pattern}`);
  return { patterns: [...workspace.strings('members'), ...left], file: 'Cargo.toml' };
}
