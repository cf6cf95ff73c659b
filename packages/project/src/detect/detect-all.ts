import { posix } from 'node:path';
import type { ProjectDirectory } from '../files/project-directory.ts';
import { LOCKS, TOOLCHAINS } from './detect-by-name.ts';
import type { Detector, Finding, Surroundings } from './finding.ts';
import { detectNode, hasTsconfig, NODE_FILES } from './node/detect-node.ts';
import { lockedManager } from './node/detect-node-manager.ts';
import { lockedPythonManager, PYTHON_LOCKS } from './python/detect-python-manager.ts';

/** Earlier detectors take precedence. */
const DETECTORS: readonly Detector[] = [
  { files: ['go.mod', 'go.work'], load: () => import('./detect-go.ts').then((part) => part.detectGo) },
  { files: ['project.json'], load: () => import('./node/detect-nx.ts').then((part) => part.detectNxProject) },
  { files: NODE_FILES, load: async () => detectNode },
  {
    files: ['deno.json', 'deno.jsonc', 'deno.lock'],
    load: () => import('./node/detect-deno.ts').then((part) => part.detectDeno),
  },
  { files: ['Cargo.toml'], load: () => import('./detect-rust.ts').then((part) => part.detectRust) },
  {
    files: [
      ...['pyproject.toml', 'setup.py', 'setup.cfg', 'manage.py', '*.txt', '*.in'],
      ...['environment.yml', 'environment.yaml', ...PYTHON_LOCKS],
    ],
    load: () => import('./python/detect-python.ts').then((part) => part.detectPython),
  },
  { files: ['composer.json'], load: () => import('./detect-php.ts').then((part) => part.detectPhp) },
  {
    files: ['Gemfile', 'gems.rb', '*.gemspec', 'Rakefile'],
    load: () => import('./detect-ruby.ts').then((part) => part.detectRuby),
  },
  { files: ['pom.xml'], load: () => import('./detect-jvm.ts').then((part) => part.detectMaven) },
  {
    files: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    load: () => import('./detect-jvm.ts').then((part) => part.detectGradle),
  },
  { files: ['mix.exs'], load: () => import('./detect-toolchains.ts').then((part) => part.detectElixir) },
  { files: ['Package.swift'], load: () => import('./detect-toolchains.ts').then((part) => part.detectSwift) },
  { files: ['pubspec.yaml'], load: () => import('./detect-toolchains.ts').then((part) => part.detectDart) },
  {
    files: ['*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'],
    load: () => import('./detect-dotnet.ts').then((part) => part.detectDotnet),
  },
  { files: ['CMakeLists.txt'], load: () => import('./detect-cpp.ts').then((part) => part.detectCmake) },
  { files: ['meson.build'], load: () => import('./detect-cpp.ts').then((part) => part.detectMeson) },
  ...TOOLCHAINS,
  {
    files: ['DESCRIPTION', 'renv.lock', '*.Rproj'],
    load: () => import('./detect-by-source.ts').then((part) => part.detectR),
  },
  {
    files: ['JuliaProject.toml', 'Project.toml'],
    load: () => import('./detect-by-source.ts').then((part) => part.detectJulia),
  },
  {
    files: ['cpanfile', 'dist.ini', 'Makefile.PL', 'Build.PL'],
    load: () => import('./detect-by-source.ts').then((part) => part.detectPerl),
  },
  {
    files: ['project.clj', 'deps.edn', 'shadow-cljs.edn', 'bb.edn'],
    load: () => import('./scripted/detect-clojure.ts').then((part) => part.detectClojure),
  },
  {
    files: ['*.xcodeproj', '*.xcworkspace'],
    load: () => import('./detect-by-source.ts').then((part) => part.detectXcode),
  },
  {
    files: ['terragrunt.hcl', '*.tf', '*.tofu'],
    load: () => import('./detect-by-source.ts').then((part) => part.detectTerraform),
  },
  {
    files: ['MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel', 'BUILD.bazel'],
    load: () => import('./detect-bazel.ts').then((part) => part.detectBazel),
  },
  ...LOCKS,
  {
    files: ['GNUmakefile', 'makefile', 'Makefile'],
    load: () => import('./scripted/detect-runners.ts').then((part) => part.detectMake),
  },
  {
    files: [
      ...['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'],
      ...['Taskfile.dist.yml', 'taskfile.dist.yml', 'Taskfile.dist.yaml', 'taskfile.dist.yaml'],
    ],
    load: () => import('./scripted/detect-runners.ts').then((part) => part.detectTask),
  },
  {
    files: ['mise.toml', '.mise.toml', '.config/mise.toml'],
    load: () => import('./scripted/detect-runners.ts').then((part) => part.detectMise),
  },
  {
    files: ['justfile', 'Justfile', '.justfile'],
    load: () => import('./scripted/detect-runners.ts').then((part) => part.detectJust),
  },
];

/** Positions of detectors, by the name of each of their files. */
const BY_FILE = new Map<string, number[]>();
DETECTORS.forEach(({ files }, number) => {
  for (const file of files) {
    const numbers = BY_FILE.get(file);
    if (numbers) numbers.push(number);
    else BY_FILE.set(file, [number]);
  }
});

/** Runs the detectors that have a file in the directory; returns their findings in the order of the detectors. */
export async function detectAll(directory: ProjectDirectory, around: Surroundings): Promise<Finding[]> {
  const findings: Finding[] = [];
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
export function surroundingsOf(directory: ProjectDirectory, around: Surroundings): Surroundings {
  return {
    manager: lockedManager(directory) ?? around.manager,
    pythonManager: lockedPythonManager(directory) ?? around.pythonManager,
    isTypeScript: around.isTypeScript || hasTsconfig(directory),
    isNx: around.isNx || directory.has('nx.json'),
  };
}

/** Returns the languages of all findings. TypeScript replaces JavaScript. */
export function languagesOf(findings: readonly Finding[]): string[] {
  const languages = collect(findings, (finding) => finding.languages);
  return languages.includes('TypeScript') ? languages.filter((language) => language !== 'JavaScript') : languages;
}

/** Returns the different values that the findings have for one field. */
export function collect(
  findings: readonly Finding[],
  choose: (finding: Finding) => readonly string[] | undefined,
): string[] {
  return [...new Set(findings.flatMap((finding) => choose(finding) ?? []))];
}
