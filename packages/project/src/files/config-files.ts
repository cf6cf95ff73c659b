/** Files at the top of a project that define how it is built, checked, run or installed. */
const NAMES = new Set(
  `go.mod go.sum go.work go.work.sum magefile.go .goreleaser.yml .goreleaser.yaml goreleaser.yml goreleaser.yaml .air.toml .ko.yaml
   .mockery.yml .mockery.yaml sqlc.yml sqlc.yaml sqlc.json gqlgen.yml staticcheck.conf revive.toml .revive.toml buf.yaml buf.lock
   buf.gen.yaml buf.work.yaml Gopkg.toml Gopkg.lock
   package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs pnpmfile.js yarn.lock bun.lockb
   bun.lock bunfig.toml lerna.json turbo.json turbo.jsonc nx.json .nxignore project.json workspace.json rush.json moon.yml angular.json
   biome.json biome.jsonc deno.json deno.jsonc deno.lock jsr.json import_map.json bower.json dprint.json dprint.jsonc .dprint.json
   .dprint.jsonc oxlint.json tslint.json cypress.json nodemon.json nest-cli.json components.json knip.json knip.jsonc typedoc.json
   app.json eas.json api-extractor.json gulpfile.babel.js ember-cli-build.js .ember-cli plopfile.js knexfile.js knexfile.ts ormconfig.json
   .eslintignore .prettierignore .stylelintignore .markdownlintignore .npmignore .dockerignore .helmignore .size-limit.json
   .size-limit.js .dependency-cruiser.js .dependency-cruiser.cjs .dependency-cruiser.mjs codegen.yml codegen.ts
   lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml release-please-config.json
   .release-please-manifest.json cspell.json .cspell.json cspell.yaml cspell.yml .ls-lint.yml
   vercel.json now.json netlify.toml wrangler.toml wrangler.json wrangler.jsonc firebase.json amplify.yml serverless.yml serverless.yaml
   serverless.ts fly.toml render.yaml railway.json railway.toml app.yaml
   Cargo.toml Cargo.lock rust-toolchain rust-toolchain.toml rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml deny.toml build.rs
   Cross.toml Trunk.toml Dioxus.toml Anchor.toml Makefile.toml cbindgen.toml cliff.toml release.toml dist-workspace.toml bacon.toml
   tarpaulin.toml taplo.toml .taplo.toml typos.toml _typos.toml .typos.toml
   pyproject.toml uv.lock uv.toml poetry.lock poetry.toml pdm.lock pdm.toml Pipfile Pipfile.lock pylock.toml setup.py setup.cfg
   environment.yml environment.yaml conda-lock.yml pixi.toml pixi.lock hatch.toml constraints.txt tox.ini tox.toml noxfile.py dodo.py
   fabfile.py pytest.ini .pytest.ini conftest.py mypy.ini .mypy.ini pyrightconfig.json ty.toml .pyre_configuration ruff.toml .ruff.toml
   .flake8 pylintrc .isort.cfg .style.yapf .bandit bandit.yaml .pydocstyle .python-version manage.py alembic.ini MANIFEST.in mkdocs.yml
   mkdocs.yaml .readthedocs.yml .readthedocs.yaml dvc.yaml runtime.txt
   composer.json composer.lock symfony.lock phpunit.xml phpunit.xml.dist phpunit.dist.xml phpstan.neon phpstan.neon.dist
   phpstan.dist.neon psalm.xml psalm.xml.dist phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist phpmd.xml pint.json rector.php ecs.php
   infection.json infection.json5 infection.json.dist codeception.yml codeception.dist.yml behat.yml phpbench.json grumphp.yml
   captainhook.json deptrac.yaml .php-cs-fixer.php .php-cs-fixer.dist.php .php_cs .php_cs.dist .php-version artisan castor.php
   Gemfile Gemfile.lock gems.rb gems.locked Rakefile Guardfile Appraisals Capfile Dangerfile Steepfile config.ru .rspec .standard.yml
   .rubocop.yml .rubocop_todo.yml .reek.yml .erb_lint.yml .erb-lint.yml .haml-lint.yml .solargraph.yml .ruby-version .ruby-gemset
   pom.xml mvnw build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle.lockfile gradlew build.xml
   build.sbt build.sc build.mill .scalafmt.conf .scalafix.conf checkstyle.xml detekt.yml sonar-project.properties lombok.config
   .java-version project.clj deps.edn bb.edn shadow-cljs.edn
   mix.exs mix.lock .formatter.exs .credo.exs .dialyzer_ignore.exs rebar.config rebar.lock gleam.toml
   Package.swift Package.resolved .swift-version .swiftlint.yml .swiftformat .swift-format Podfile Podfile.lock Cartfile Mintfile
   Project.swift project.yml
   pubspec.yaml pubspec.lock pubspec_overrides.yaml analysis_options.yaml melos.yaml build.yaml dart_test.yaml l10n.yaml
   CMakeLists.txt CMakePresets.json CMakeUserPresets.json meson.build meson.options meson_options.txt configure.ac Makefile.am
   SConstruct xmake.lua premake5.lua conanfile.txt conanfile.py conan.lock vcpkg.json vcpkg-configuration.json compile_flags.txt .clangd
   .clang-format .clang-tidy CPPLINT.cfg Doxyfile platformio.ini Kconfig west.yml
   global.json Directory.Build.props Directory.Build.targets Directory.Packages.props nuget.config NuGet.config NuGet.Config
   packages.config packages.lock.json paket.dependencies paket.lock stylecop.json .globalconfig build.cake GitVersion.yml
   stack.yaml stack.yaml.lock package.yaml hie.yaml fourmolu.yaml .hlint.yaml cabal.project.freeze cabal.project cabal.project.local
   build.zig build.zig.zon dune-project dune-workspace .ocamlformat DESCRIPTION renv.lock .lintr Project.toml Manifest.toml JuliaProject.toml
   JuliaManifest.toml shard.yml
   shard.lock elm.json Makefile.PL Build.PL .perlcriticrc dub.json dub.sdl v.mod cpanfile dist.ini stylua.toml .stylua.toml selene.toml foundry.toml remappings.txt
   BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel MODULE.bazel.lock .bazelversion .bazelignore BUCK pants.toml flake.nix flake.lock
   shell.nix default.nix devenv.nix devbox.json .devcontainer.json .gitpod.yml .gitmodules
   Makefile makefile GNUmakefile justfile Justfile .justfile Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml
   Taskfile.dist.yaml taskfile.dist.yml taskfile.dist.yaml
   Procfile Procfile.dev Earthfile Vagrantfile Containerfile docker-bake.hcl Tiltfile skaffold.yaml Caddyfile Chart.yaml
   kustomization.yaml kustomization.yml helmfile.yaml ansible.cfg Pulumi.yaml cdk.json samconfig.toml .terraform.lock.hcl .tflint.hcl
   terragrunt.hcl action.yml action.yaml dagger.json
   Jenkinsfile .gitlab-ci.yml .travis.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml appveyor.yml .appveyor.yml
   .drone.yml .woodpecker.yml .cirrus.yml cloudbuild.yaml buildspec.yml codecov.yml .codecov.yml .mergify.yml
   .pre-commit-config.yaml .pre-commit-hooks.yaml .editorconfig .yamllint .yamllint.yml .yamllint.yaml .hadolint.yaml .hadolint.yml
   .tool-versions .nvmrc jest.preset.js .node-version mise.toml .mise.toml mise.lock .envrc.example renovate.json renovate.json5`
    .trim()
    .split(/\s+/),
);

/** One expression for all patterns: compiling each of them takes longer than matching the names of a project. */
const PATTERN = new RegExp(
  [
    /^(?:ts|js)config(?:\.[\w-]+)*\.json$/,
    /^[\w-]+(?:\.[\w-]+)?\.config\.(?:[cm]?[jt]s|json|ya?ml|toml)$/,
    /^[\w-]+\.conf\.(?:[cm]?[jt]s|json)$/,
    /^(?:gulp|Grunt|Gulp|grunt)file\.(?:[cm]?[jt]s|coffee)$/,
    /^\.[a-z][\w-]*rc(?:\.(?:[cm]?[jt]s|jsonc?|ya?ml|toml))?$/,
    /^(?:vitest|jest)\.workspace\.(?:[cm]?[jt]s|json)$/,
    /^gatsby-(?:config|node|browser|ssr)\.[cm]?[jt]sx?$/,
    /^\.golangci\.(?:ya?ml|toml|json)$/,
    /^\.markdownlint(?:-cli2)?\.(?:jsonc?|ya?ml)$/,
    /^(?:[\w-]+[-_.])?requirements(?:[-_.][\w.-]*)?\.(?:txt|in|lock)$/,
    /^(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml$/,
    /^(?:[\w-]+\.)?Dockerfile(?:\.[\w-]+)?$/,
    /^[\w. -]+\.(?:csproj|fsproj|vbproj|vcxproj|sln|slnx|slnf|runsettings|gemspec|podspec|cabal|opam|nimble|rockspec|Rproj)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Where configuration files may be below the top: files of a directory, and directories by name or (`others`) any. */
export interface NestedFiles {
  readonly files?: RegExp;
  readonly directories?: ReadonlyMap<string, NestedFiles>;
  readonly others?: NestedFiles;
}

const DEVCONTAINER =
  /^(?:devcontainer(?:-lock)?\.json|(?:docker-)?compose[\w.-]*\.ya?ml|(?:[\w-]+\.)?Dockerfile(?:\.[\w-]+)?)$/;

export const NESTED: NestedFiles = {
  directories: new Map<string, NestedFiles>([
    ['.cargo', { files: /^config(?:\.toml)?$/ }],
    ['.circleci', { files: /^config\.ya?ml$/ }],
    ['.config', { files: /^(?:nextest\.toml|mise\.toml|dotnet-tools\.json)$/ }],
    ['.devcontainer', { files: DEVCONTAINER, others: { files: DEVCONTAINER } }],
    ['.github', { directories: new Map([['workflows', { files: /^[\w.-]+\.ya?ml$/ }]]) }],
    [
      '.mvn',
      {
        files: /^(?:maven|jvm)\.config$/,
        directories: new Map([['wrapper', { files: /^maven-wrapper\.properties$/ }]]),
      },
    ],
    [
      'gradle',
      {
        files: /^libs\.versions\.toml$/,
        directories: new Map([['wrapper', { files: /^gradle-wrapper\.properties$/ }]]),
      },
    ],
    ['requirements', { files: /^[\w.-]+\.(?:txt|in)$/ }],
  ]),
};

const MAX_NAME = 200;

/** Reports whether a file of this name configures something. */
export function isConfigFile(name: string): boolean {
  return NAMES.has(name) || (name.length <= MAX_NAME && PATTERN.test(name));
}
