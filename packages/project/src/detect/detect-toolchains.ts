import { posix } from 'node:path';
import type { ProjectDirectory } from '../files/project-directory.ts';
import { type DetectFunction, isPlainName, type ProjectFinding } from './finding.ts';

/** Detects Elixir from mix.exs, with the apps of an umbrella. */
export const detectElixir: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const apps = /\bapps_path:[ \t]*"([^"\n]{1,300})"/.exec(text)?.[1];
  const isPhoenix = /:phoenix\b/.test(text);
  const commands = {
    build: 'mix compile',
    test: 'mix test',
    lint: directory.has('.credo.exs') || /:credo\b/.test(text) ? 'mix credo' : undefined,
  };
  return {
    languages: ['Elixir'],
    frameworks: isPhoenix ? ['Phoenix'] : [],
    managers: ['mix'],
    ...commands,
    // A package.json next to it is for only the assets.
    ...(isPhoenix && { overrides: commands }),
    ...(apps !== undefined && { members: [{ patterns: [`${apps}/*`], file }] }),
    name: /\bapp:[ \t]*:(\w+)/.exec(text)?.[1],
  };
};

export const detectSwift: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  return {
    languages: ['Swift'],
    frameworks: /\bgithub\.com\/vapor\/vapor\b/.test(text) ? ['Vapor'] : [],
    managers: ['swift'],
    build: 'swift build',
    test: 'swift test',
    lint: directory.has('.swiftlint.yml') ? 'swiftlint' : undefined,
    name: /\bPackage\(\s*name:[ \t]*"([^"\n]+)"/.exec(text)?.[1],
  };
};

/** Detects Dart and Flutter from pubspec.yaml, with the packages of a workspace. */
export const detectDart: DetectFunction = async (directory, { file }) => {
  const manifest = await directory.yaml(file);
  const dependencies = manifest.table('dependencies');
  const isFlutter = dependencies.tableIfAny('flutter').stringIfAny('sdk') === 'flutter';
  const finding: ProjectFinding = {
    languages: ['Dart'],
    managers: ['pub'],
    members: [
      { patterns: manifest.strings('workspace'), file },
      { patterns: (await directory.yaml('melos.yaml')).strings('packages'), file: 'melos.yaml' },
    ],
    name: manifest.stringIfAny('name'),
    description: manifest.stringIfAny('description'),
  };
  return isFlutter
    ? { ...finding, frameworks: ['Flutter'], build: 'flutter pub get', test: 'flutter test', lint: 'flutter analyze' }
    : { ...finding, build: 'dart pub get', test: 'dart test', lint: 'dart analyze' };
};

const BAZEL_RULES: readonly (readonly [RegExp, string])[] = [
  [/\brules_go\b|io_bazel_rules_go/, 'Go'],
  [/\brules_(?:nodejs|js)\b/, 'JavaScript'],
  [/\brules_ts\b/, 'TypeScript'],
  [/\brules_rust\b/, 'Rust'],
  [/\brules_python\b/, 'Python'],
  [/\brules_(?:java|jvm_external)\b/, 'Java'],
  [/\brules_kotlin\b/, 'Kotlin'],
  [/\brules_scala\b/, 'Scala'],
  [/\brules_swift\b/, 'Swift'],
  [/\brules_cc\b|\bcc_(?:library|binary)\b/, 'C++'],
];
const BAZEL_FILES = ['MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel', 'BUILD', 'BUILD.bazel'];

/** Detects Bazel. Its commands come after those of a toolchain that has files of its own next to it. */
export const detectBazel: DetectFunction = async (directory) => {
  const text = BAZEL_FILES.map((name) => directory.text(name) ?? '').join('\n');
  return {
    languages: BAZEL_RULES.filter(([pattern]) => pattern.test(text)).map(([, language]) => language),
    managers: ['bazel'],
    build: 'bazel build //...',
    test: 'bazel test //...',
    name: /\bmodule\(\s{0,100}name\s{0,9}=\s{0,9}"([^"\n]{1,100})"/.exec(text)?.[1],
  };
};

/** Detects Terraform and OpenTofu from any of their files, and Terragrunt, which runs them in many directories. */
export const detectTerraform: DetectFunction = async (directory) => {
  const has = (end: string) => directory.listed.some(({ name }) => name.endsWith(end));
  const lint = directory.has('.tflint.hcl') ? 'tflint' : undefined;
  if (directory.has('terragrunt.hcl')) {
    const run = has('.tf') || has('.tofu') ? 'terragrunt' : 'terragrunt run --all';
    return {
      languages: ['Terraform'],
      managers: ['terragrunt'],
      build: `${run} plan`,
      test: `${run} validate`,
      lint: lint ?? 'terragrunt hcl fmt --check',
    };
  }
  const program = has('.tofu') ? 'tofu' : 'terraform';
  const hasTests = has('.tftest.hcl') || hasDirectory(directory, 'tests');
  return {
    languages: ['Terraform'],
    managers: [program],
    build: `${program} init && ${program} plan`,
    test: hasTests ? `${program} test` : `${program} validate`,
    lint: lint ?? `${program} fmt -check -recursive`,
  };
};

/** Detects Xcode from a project or a workspace, which are directories. */
export const detectXcode: DetectFunction = async (directory) => {
  const names = directory.listed.filter(({ kind }) => kind === 'directory').map(({ name }) => name);
  const workspace = names.find((name) => name.endsWith('.xcworkspace'));
  const project = names.find((name) => name.endsWith('.xcodeproj'));
  const chosen = workspace ?? project;
  if (chosen === undefined || !isPlainName(chosen)) return { languages: ['Swift'] };
  const name = chosen.slice(0, chosen.lastIndexOf('.'));
  const where = `${workspace === undefined ? '-project' : '-workspace'} ${chosen} -scheme ${name}`;
  return {
    languages: ['Swift'],
    managers: directory.has('Podfile') ? ['cocoapods'] : [],
    guesses: { build: `xcodebuild ${where} build`, test: `xcodebuild ${where} test` },
    lint: directory.has('.swiftlint.yml') ? 'swiftlint' : undefined,
    name,
  };
};

/** Detects R from a package, or from a project with renv or RStudio. */
export const detectR: DetectFunction = async (directory) => {
  const description = directory.text('DESCRIPTION') ?? '';
  const name = /^Package:[ \t]*([\w.]+)/m.exec(description)?.[1];
  if (name === undefined && !directory.has('renv.lock') && !directory.names.some((file) => file.endsWith('.Rproj'))) {
    return undefined;
  }
  return {
    languages: ['R'],
    frameworks: /^\s*shiny\b/m.test(description.replaceAll(',', '\n')) ? ['Shiny'] : [],
    managers: directory.has('renv.lock') ? ['renv'] : [],
    build:
      name !== undefined ? 'R CMD build .' : directory.has('renv.lock') ? "Rscript -e 'renv::restore()'" : undefined,
    test: hasDirectory(directory, 'tests') ? "Rscript -e 'devtools::test()'" : undefined,
    lint: directory.has('.lintr') ? "Rscript -e 'lintr::lint_package()'" : undefined,
    name,
  };
};

/** Detects Julia from Project.toml, or from JuliaProject.toml, which comes first. */
export const detectJulia: DetectFunction = async (directory, { file }) => {
  const manifest = await directory.toml(file);
  const pkg = (call: string) => `julia --project=. -e 'using Pkg; Pkg.${call}()'`;
  return {
    languages: ['Julia'],
    managers: ['Pkg'],
    build: pkg('instantiate'),
    test: hasDirectory(directory, 'test') ? pkg('test') : undefined,
    name: manifest.string('name'),
  };
};

const PERL_BUILDS = [
  ['dist.ini', 'dzil build'],
  ['Build.PL', 'perl Build.PL && ./Build'],
  ['Makefile.PL', 'perl Makefile.PL && make'],
] as const;

/** Detects Perl from Makefile.PL, Build.PL, cpanfile and dist.ini. */
export const detectPerl: DetectFunction = async (directory) => {
  const [, build = 'cpanm --installdeps .'] = PERL_BUILDS.find(([file]) => directory.has(file)) ?? [];
  return {
    languages: ['Perl'],
    managers: [directory.has('dist.ini') ? 'dzil' : 'cpanm'],
    build,
    test: hasDirectory(directory, 't') ? 'prove -lr t' : undefined,
    lint: directory.has('.perlcriticrc') ? 'perlcritic .' : undefined,
  };
};

function hasDirectory({ listed }: ProjectDirectory, name: string): boolean {
  return listed.some((entry) => entry.name === name && entry.kind === 'directory');
}

const CALL_OF_PROJECT = /^[ \t]*project[ \t]*\(([^)]{0,1000})/im;
const HAS_TESTS = /^[ \t]*(?:enable_testing|include[ \t]*\([ \t]*CTest)\b/im;
const CMAKE_NAME = /^\s*"?(\w[\w.+-]*)/;

export const detectCmake: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = CALL_OF_PROJECT.exec(text)?.[1] ?? '';
  const words = project.split(/\s+/).slice(1);
  const presets = await presetCommands(directory);
  return {
    languages: words.includes('C') ? ['C', ...(words.includes('CXX') ? ['C++'] : [])] : ['C++'],
    build: presets.build ?? 'cmake -B build && cmake --build build',
    test: presets.test ?? (HAS_TESTS.test(text) ? `ctest --test-dir ${presets.directory ?? 'build'}` : undefined),
    name: CMAKE_NAME.exec(project)?.[1],
  };
};

async function presetCommands(directory: ProjectDirectory) {
  const file = directory.find('CMakePresets.json', 'CMakeUserPresets.json');
  if (file === undefined) return {};
  const presets = await directory.jsonc(file);
  const first = (key: string) =>
    presets
      .tablesAmong(key)
      .find((preset) => !preset.is(true, 'hidden') && isPlainName(preset.stringIfAny('name') ?? ''));
  const configure = first('configurePresets');
  const name = configure?.stringIfAny('name');
  if (name === undefined) return {};
  const build = first('buildPresets')?.stringIfAny('name');
  const test = first('testPresets')?.stringIfAny('name');
  const binary = /^(?:\$\{sourceDir\}\/)?([\w./-]+)$/.exec(configure?.stringIfAny('binaryDir') ?? '')?.[1];
  const built = build === undefined ? `cmake --build ${binary ?? 'build'}` : `cmake --build --preset ${build}`;
  return {
    build: `cmake --preset ${name} && ${built}`,
    test: test === undefined ? undefined : `ctest --preset ${test}`,
    directory: binary,
  };
}

export const detectMeson: DetectFunction = async (directory, { file }) => {
  const text = directory.text(file) ?? '';
  const project = CALL_OF_PROJECT.exec(text)?.[1] ?? '';
  return {
    languages: [project.includes("'c'") && !project.includes("'cpp'") ? 'C' : 'C++'],
    build: 'meson setup build && meson compile -C build',
    test: /^[ \t]*test[ \t]*\(/m.test(text) ? 'meson test -C build' : undefined,
  };
};

const DOTNET_LANGUAGES: Readonly<Record<string, string>> = { cs: 'C#', fs: 'F#', vb: 'Visual Basic' };
const DOTNET_PROJECT = /\.(cs|fs|vb)proj$/;
const MAX_PROJECTS = 20;
const SOLUTION = /\.slnx?$/;
/** A project such as `"src\App\App.csproj"`: between quotes in a .sln, an attribute in a .slnx. */
const SOLUTION_PROJECT = /"([^"\n]{1,300}\.(?:cs|fs|vb)proj)"/g;
const DOTNET_FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['ASP.NET Core', /\bMicrosoft\.NET\.Sdk\.Web\b|\bMicrosoft\.AspNetCore\.App\b/],
  ['Blazor', /\bMicrosoft\.NET\.Sdk\.BlazorWebAssembly\b/],
  ['MAUI', /<UseMaui>true</],
  ['WPF', /<UseWPF>true</],
  ['Windows Forms', /<UseWindowsForms>true</],
];

export const detectDotnet: DetectFunction = async (directory) => {
  const projects = directory.names.filter((name) => DOTNET_PROJECT.test(name)).slice(0, MAX_PROJECTS);
  const solution = directory.names.find((name) => SOLUTION.test(name));
  const listed = solution === undefined ? '' : (directory.text(solution) ?? '');
  const paths = [...listed.matchAll(SOLUTION_PROJECT)].map(([, path = '']) => path.replaceAll('\\', '/'));
  const kinds = [...projects, ...paths].map((path) => DOTNET_PROJECT.exec(path)?.[1] ?? '');
  const languages = kinds.flatMap((kind) => DOTNET_LANGUAGES[kind] ?? []);
  const text = projects.map((name) => directory.text(name) ?? '').join('\n');
  return {
    languages: languages.length === 0 ? ['C#'] : languages,
    frameworks: DOTNET_FRAMEWORKS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name),
    managers: ['nuget'],
    build: 'dotnet build',
    test: 'dotnet test',
    ...(solution !== undefined && {
      members: [{ patterns: paths.map((path) => posix.dirname(path)), file: solution, arePaths: true }],
    }),
    name: projects[0]?.replace(DOTNET_PROJECT, ''),
  };
};
