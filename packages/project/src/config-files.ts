/** Files at the top of a project that say how it is built, checked, run or installed; a language is recognised elsewhere. */
const NAMES = new Set(
  `go.mod go.sum go.work go.work.sum
   package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lockb bun.lock bunfig.toml
   lerna.json turbo.json turbo.jsonc nx.json rush.json biome.json biome.jsonc deno.json deno.jsonc deno.lock angular.json
   nest-cli.json vercel.json netlify.toml wrangler.toml wrangler.json wrangler.jsonc app.json components.json knip.json typedoc.json
   Cargo.toml Cargo.lock rust-toolchain rust-toolchain.toml rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml deny.toml
   pyproject.toml uv.lock uv.toml poetry.lock pdm.lock Pipfile Pipfile.lock setup.py setup.cfg environment.yml environment.yaml
   tox.ini noxfile.py pytest.ini conftest.py mypy.ini .mypy.ini pyrightconfig.json ruff.toml .ruff.toml .flake8 .pylintrc .python-version
   manage.py MANIFEST.in
   composer.json composer.lock phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist artisan .php-cs-fixer.php
   Gemfile Gemfile.lock Rakefile .rubocop.yml .ruby-version
   pom.xml mvnw build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew build.sbt
   mix.exs mix.lock .formatter.exs .credo.exs rebar.config Package.swift Package.resolved pubspec.yaml pubspec.lock analysis_options.yaml
   CMakeLists.txt CMakePresets.json meson.build configure.ac conanfile.txt conanfile.py vcpkg.json .clang-format .clang-tidy
   global.json Directory.Build.props nuget.config stack.yaml cabal.project build.zig build.zig.zon dune-project project.clj deps.edn
   BUILD BUILD.bazel WORKSPACE MODULE.bazel flake.nix flake.lock shell.nix default.nix
   Makefile makefile GNUmakefile justfile Justfile .justfile Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml
   Procfile Earthfile Vagrantfile Jenkinsfile Tiltfile skaffold.yaml .gitlab-ci.yml .travis.yml azure-pipelines.yml
   .pre-commit-config.yaml .editorconfig .tool-versions .nvmrc .node-version mise.toml .mise.toml .envrc.example renovate.json`
    .trim()
    .split(/\s+/),
);

const PATTERNS = [
  /^(?:ts|js)config(?:\.[\w-]+)*\.json$/,
  /^[\w-]+(?:\.[\w-]+)?\.config\.(?:[cm]?[jt]s|json)$/,
  /^\.[a-z][\w-]*rc(?:\.(?:[cm]?[jt]s|jsonc?|ya?ml|toml))?$/,
  /^(?:vitest|jest)\.workspace\.(?:[cm]?[jt]s|json)$/,
  /^\.golangci\.(?:ya?ml|toml|json)$/,
  /^\.markdownlint(?:-cli2)?\.(?:jsonc?|ya?ml)$/,
  /^requirements(?:[-_.][\w-]+)*\.(?:txt|in)$/,
  /^(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml$/,
  /^(?:[\w-]+\.)?Dockerfile(?:\.[\w-]+)?$/,
  /^[\w.-]+\.(?:csproj|fsproj|vbproj|sln|slnx|gemspec|cabal)$/,
];

const MAX_NAME = 200;

/** True for a name that tells something of the project. */
export function isConfigFile(name: string): boolean {
  return NAMES.has(name) || (name.length <= MAX_NAME && PATTERNS.some((pattern) => pattern.test(name)));
}
