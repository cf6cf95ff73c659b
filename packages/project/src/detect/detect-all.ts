import { posix } from 'node:path';
import type { ProjectDirectory } from '../files/project-directory.ts';
import type { DetectFunction, ProjectFinding, ProjectSurroundings } from './finding.ts';
import { detectNode, hasTsconfig, NODE_FILES } from './node/detect-node.ts';
import { lockedManager } from './node/detect-node-manager.ts';
import { lockedPythonManager, PYTHON_LOCKS } from './python/detect-python-manager.ts';

interface Detector {
  /** Names of files. `*.x` stands for all names that end with `.x`. */
  readonly files: readonly string[];
  readonly load: () => Promise<DetectFunction>;
}

type NamedToolchain = readonly [files: string, language: string, manager: string, build?: string, test?: string];

/** Toolchains that the name of a file shows: the files, the language, the package manager, and the commands. */
const TOOLCHAINS: readonly NamedToolchain[] = [
  ['build.sbt', 'Scala', 'sbt', 'sbt compile', 'sbt test'],
  ['rebar.config', 'Erlang', 'rebar3', 'rebar3 compile', 'rebar3 eunit'],
  ['gleam.toml', 'Gleam', 'gleam', 'gleam build', 'gleam test'],
  ['stack.yaml', 'Haskell', 'stack', 'stack build', 'stack test'],
  ['cabal.project *.cabal', 'Haskell', 'cabal', 'cabal build', 'cabal test'],
  ['build.zig', 'Zig', '', 'zig build', 'zig build test'],
  ['dune-project', 'OCaml', '', 'dune build', 'dune test'],
];
/** Lock files that show a language without its manifest. The detectors of the manifests read the other lock files. */
const LOCKS: readonly NamedToolchain[] = [
  ['go.sum', 'Go', 'go'],
  ['Cargo.lock', 'Rust', 'cargo'],
  ['composer.lock', 'PHP', 'composer'],
  ['Gemfile.lock gems.locked', 'Ruby', 'bundler'],
  ['mix.lock', 'Elixir', 'mix'],
  ['rebar.lock', 'Erlang', 'rebar3'],
  ['Package.resolved', 'Swift', 'swift'],
  ['pubspec.lock', 'Dart', 'pub'],
  ['stack.yaml.lock', 'Haskell', 'stack'],
];
const jvm = () => import('./detect-jvm.ts');
const toolchains = () => import('./detect-toolchains.ts');
const runners = () => import('./scripted/detect-runners.ts');

/** Earlier detectors take precedence. Each is loaded if a directory has one of its files. */
const DETECTORS: readonly Detector[] = [
  row('go.mod go.work', async () => (await import('./detect-go.ts')).detectGo),
  row('project.json', async () => (await import('./node/detect-nx.ts')).detectNxProject),
  row(NODE_FILES.join(' '), async () => detectNode),
  row('deno.json deno.jsonc deno.lock', async () => (await import('./node/detect-deno.ts')).detectDeno),
  row('Cargo.toml', async () => (await import('./detect-rust.ts')).detectRust),
  row(
    `pyproject.toml setup.py setup.cfg manage.py *.txt *.in environment.yml environment.yaml ${PYTHON_LOCKS.join(' ')}`,
    async () => (await import('./python/detect-python.ts')).detectPython,
  ),
  row('composer.json', async () => (await import('./detect-php.ts')).detectPhp),
  row('Gemfile gems.rb *.gemspec Rakefile', async () => (await import('./detect-ruby.ts')).detectRuby),
  row('pom.xml', async () => (await jvm()).detectMaven),
  row('build.gradle build.gradle.kts settings.gradle settings.gradle.kts', async () => (await jvm()).detectGradle),
  row('mix.exs', async () => (await toolchains()).detectElixir),
  row('Package.swift', async () => (await toolchains()).detectSwift),
  row('pubspec.yaml', async () => (await toolchains()).detectDart),
  row('*.sln *.slnx *.csproj *.fsproj *.vbproj', async () => (await toolchains()).detectDotnet),
  row('CMakeLists.txt', async () => (await toolchains()).detectCmake),
  row('meson.build', async () => (await toolchains()).detectMeson),
  ...TOOLCHAINS.map(byName),
  row('DESCRIPTION renv.lock *.Rproj', async () => (await toolchains()).detectR),
  row('JuliaProject.toml Project.toml', async () => (await toolchains()).detectJulia),
  row('cpanfile dist.ini Makefile.PL Build.PL', async () => (await toolchains()).detectPerl),
  row(
    'project.clj deps.edn shadow-cljs.edn bb.edn',
    async () => (await import('./scripted/detect-clojure.ts')).detectClojure,
  ),
  row('*.xcodeproj *.xcworkspace', async () => (await toolchains()).detectXcode),
  row('terragrunt.hcl *.tf *.tofu', async () => (await toolchains()).detectTerraform),
  row('MODULE.bazel WORKSPACE WORKSPACE.bazel BUILD.bazel', async () => (await toolchains()).detectBazel),
  ...LOCKS.map(byName),
  row('GNUmakefile makefile Makefile', async () => (await runners()).detectMake),
  row(
    'Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml taskfile.dist.yaml',
    async () => (await runners()).detectTask,
  ),
  row('mise.toml .mise.toml .config/mise.toml', async () => (await runners()).detectMise),
  row('justfile Justfile .justfile', async () => (await runners()).detectJust),
];

function row(files: string, load: Detector['load']): Detector {
  return { files: files.split(' '), load };
}

function byName([files, language, manager, build, test]: NamedToolchain): Detector {
  const finding = { languages: [language], managers: manager === '' ? [] : [manager], build, test };
  return row(files, async () => async () => finding);
}

/** Positions of detectors, by the name of each of their files. */
const BY_FILE = new Map<string, number[]>();
DETECTORS.forEach(({ files }, number) => {
  for (const file of files) {
    const numbers = BY_FILE.get(file);
    if (numbers) numbers.push(number);
    else BY_FILE.set(file, [number]);
  }
});

/** Runs the detectors that have a file in the directory. Returns their findings in the order of the detectors. */
export async function detectAll(directory: ProjectDirectory, around: ProjectSurroundings): Promise<ProjectFinding[]> {
  const findings: ProjectFinding[] = [];
  for (const { files, load } of detectorsFor(directory)) {
    const file = firstOf(files, directory);
    const detect = file && (await load());
    const finding = detect && (await detect(directory, { file, around }));
    if (finding) findings.push(finding);
  }
  return findings;
}

/** Extensions of files and directories that are not configuration, but show a language. */
const SOURCES = /\.(?:tf|tofu|xcodeproj|xcworkspace)$/;

/** Looks up detectors by file name: most directories have files of one or two, and asking all of them takes longer. */
function detectorsFor({ names, listed }: ProjectDirectory): Detector[] {
  const called = new Set<number>();
  for (const { name } of listed) {
    if (SOURCES.test(name)) for (const number of BY_FILE.get(`*${posix.extname(name)}`) ?? []) called.add(number);
  }
  for (const name of names) {
    for (const number of BY_FILE.get(name) ?? []) called.add(number);
    for (const number of BY_FILE.get(`*${name.slice(name.lastIndexOf('.'))}`) ?? []) called.add(number);
  }
  return DETECTORS.filter((_, number) => called.has(number));
}

function firstOf(files: readonly string[], { names, listed }: ProjectDirectory): string | undefined {
  for (const file of files) {
    const among = SOURCES.test(file) ? listed.map(({ name }) => name) : names;
    const found = file.startsWith('*') ? among.find((name) => name.endsWith(file.slice(1))) : among.includes(file);
    if (found) return found === true ? file : found;
  }
  return undefined;
}

/** Returns the facts that a directory passes on to the directories inside it. */
export function surroundingsOf(directory: ProjectDirectory, around: ProjectSurroundings): ProjectSurroundings {
  return {
    manager: lockedManager(directory) ?? around.manager,
    pythonManager: lockedPythonManager(directory) ?? around.pythonManager,
    isTypeScript: around.isTypeScript || hasTsconfig(directory),
    isNx: around.isNx || directory.has('nx.json'),
  };
}

/** Returns the languages of all findings. TypeScript replaces JavaScript. */
export function languagesOf(findings: readonly ProjectFinding[]): string[] {
  const languages = collectValues(findings, (finding) => finding.languages);
  return languages.includes('TypeScript') ? languages.filter((language) => language !== 'JavaScript') : languages;
}

/** Returns the different values that the findings have for one field. */
export function collectValues(
  findings: readonly ProjectFinding[],
  choose: (finding: ProjectFinding) => readonly string[] | undefined,
): string[] {
  return [...new Set(findings.flatMap((finding) => choose(finding) ?? []))];
}
