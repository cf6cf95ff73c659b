import { commandsFor, type Detect, type Finding } from './finding.ts';
import { frameworksOf } from './frameworks.ts';
import type { ProjectDirectory } from './project-directory.ts';

/** PHP: composer.json with its scripts. */
export const detectPhp: Detect = async (directory) => {
  if (!directory.has('composer.json')) return undefined;
  const manifest = directory.json('composer.json');
  const required = ['require', 'require-dev'].flatMap((key) => manifest.table(key).keys());
  const scripts = manifest.table('scripts');
  const command = (name: string) => (scripts.has(name) ? `composer run ${name}` : undefined);
  const lint = directory.has('phpstan.neon', 'phpstan.neon.dist') ? 'vendor/bin/phpstan analyse' : undefined;
  return {
    languages: ['PHP'],
    frameworks: frameworksOf('php', required),
    managers: ['composer'],
    scripts: commandsFor('composer run', scripts.keys()),
    build: command('build') ?? 'composer install',
    test: command('test') ?? (required.includes('pestphp/pest') ? 'vendor/bin/pest' : 'vendor/bin/phpunit'),
    lint: command('lint') ?? lint,
    name: manifest.string('name'),
    description: manifest.string('description'),
  };
};

/** Ruby: Gemfile. */
export const detectRuby: Detect = async (directory) => {
  if (!directory.has('Gemfile')) return undefined;
  const gems = [...(directory.text('Gemfile') ?? '').matchAll(/^[ \t]*gem[ \t(]+['"]([\w-]+)['"]/gm)];
  const names = gems.map(([, name = '']) => name);
  const has = (gem: string) => names.includes(gem) || names.includes(`${gem}-rails`);
  return {
    languages: ['Ruby'],
    frameworks: frameworksOf('ruby', names),
    managers: ['bundler'],
    build: 'bundle install',
    test: has('rspec') ? 'bundle exec rspec' : names.includes('rails') ? 'bundle exec rails test' : undefined,
    lint: directory.has('.rubocop.yml') || has('rubocop') ? 'bundle exec rubocop' : undefined,
  };
};

/** Deno, with the tasks of its configuration. */
export const detectDeno: Detect = async (directory) => {
  const file = directory.find('deno.json', 'deno.jsonc');
  if (file === undefined) return undefined;
  const config = await directory.jsonc(file);
  const tasks = config.table('tasks');
  return {
    languages: ['TypeScript'],
    managers: ['deno'],
    scripts: commandsFor('deno task', tasks.keys()),
    build: tasks.has('build') ? 'deno task build' : undefined,
    test: tasks.has('test') ? 'deno task test' : 'deno test',
    lint: tasks.has('lint') ? 'deno task lint' : 'deno lint',
    ...(config.has('workspace') && { members: { patterns: config.strings('workspace'), file } }),
  };
};

const gradle = (directory: ProjectDirectory) => (directory.has('gradlew') ? './gradlew' : 'gradle');
const maven = (directory: ProjectDirectory) => (directory.has('mvnw') ? './mvnw' : 'mvn');

interface Toolchain {
  /** Any of these files shows it. */
  readonly files: readonly string[] | RegExp;
  finding(directory: ProjectDirectory): Finding;
}

/** Toolchains whose commands are the same in every project. */
const TOOLCHAINS: readonly Toolchain[] = [
  {
    files: ['pom.xml'],
    finding: (directory) => ({
      languages: ['Java'],
      managers: ['maven'],
      build: `${maven(directory)} package`,
      test: `${maven(directory)} test`,
      frameworks: springIn(directory.text('pom.xml')),
    }),
  },
  {
    files: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    finding: (directory) => {
      const script = directory.text('build.gradle.kts') ?? directory.text('build.gradle') ?? '';
      return {
        languages: [/\bkotlin\b/.test(script) ? 'Kotlin' : 'Java'],
        managers: ['gradle'],
        build: `${gradle(directory)} build`,
        test: `${gradle(directory)} test`,
        frameworks: springIn(script),
      };
    },
  },
  { files: ['build.sbt'], finding: () => plain('Scala', 'sbt', ['sbt compile', 'sbt test']) },
  {
    files: ['mix.exs'],
    finding: (directory) => ({
      ...plain('Elixir', 'mix', ['mix compile', 'mix test']),
      lint: directory.has('.credo.exs') ? 'mix credo' : undefined,
      frameworks: /:phoenix\b/.test(directory.text('mix.exs') ?? '') ? ['Phoenix'] : [],
    }),
  },
  { files: ['rebar.config'], finding: () => plain('Erlang', 'rebar3', ['rebar3 compile', 'rebar3 eunit']) },
  { files: ['Package.swift'], finding: () => plain('Swift', 'swift', ['swift build', 'swift test']) },
  {
    files: ['pubspec.yaml'],
    finding: (directory) =>
      /^[ \t]+sdk:[ \t]*flutter\b/m.test(directory.text('pubspec.yaml') ?? '')
        ? {
            ...plain('Dart', 'pub', ['flutter build', 'flutter test']),
            lint: 'flutter analyze',
            frameworks: ['Flutter'],
          }
        : { ...plain('Dart', 'pub', ['dart pub get', 'dart test']), lint: 'dart analyze' },
  },
  { files: /\.(?:csproj|sln|slnx)$/, finding: () => plain('C#', 'nuget', ['dotnet build', 'dotnet test']) },
  { files: /\.fsproj$/, finding: () => plain('F#', 'nuget', ['dotnet build', 'dotnet test']) },
  { files: /\.vbproj$/, finding: () => plain('Visual Basic', 'nuget', ['dotnet build', 'dotnet test']) },
  { files: ['stack.yaml'], finding: () => plain('Haskell', 'stack', ['stack build', 'stack test']) },
  { files: /\.cabal$|^cabal\.project$/, finding: () => plain('Haskell', 'cabal', ['cabal build', 'cabal test']) },
  { files: ['build.zig'], finding: () => plain('Zig', undefined, ['zig build', 'zig build test']) },
  { files: ['dune-project'], finding: () => plain('OCaml', undefined, ['dune build', 'dune test']) },
  { files: ['CMakeLists.txt'], finding: () => plain('C++', undefined, ['cmake -B build && cmake --build build']) },
  { files: ['meson.build'], finding: () => plain('C++', undefined, ['meson setup build && meson compile -C build']) },
];

/** Toolchains that need no more than a look at the names. */
export const detectToolchains: Detect = async (directory) => {
  const findings = TOOLCHAINS.filter(({ files }) =>
    files instanceof RegExp ? directory.names.some((name) => files.test(name)) : directory.has(...files),
  ).map(({ finding }) => finding(directory));
  if (findings.length === 0) return undefined;
  return {
    languages: findings.flatMap(({ languages = [] }) => languages),
    frameworks: findings.flatMap(({ frameworks = [] }) => frameworks),
    managers: findings.flatMap(({ managers = [] }) => managers),
    build: findings.find(({ build }) => build !== undefined)?.build,
    test: findings.find(({ test }) => test !== undefined)?.test,
    lint: findings.find(({ lint }) => lint !== undefined)?.lint,
  };
};

function plain(language: string, manager: string | undefined, [build, test]: readonly string[]): Finding {
  return { languages: [language], managers: manager === undefined ? [] : [manager], build, test };
}

function springIn(text = ''): string[] {
  return text.includes('org.springframework.boot') ? ['Spring Boot'] : [];
}
