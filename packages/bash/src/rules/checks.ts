/**
 * Tests, linters, type checks and builds that a project declares for itself. Running them is what a person expects of an
 * agent. A row lists all options that leave it at that: any other one, or a file outside of the project, and the row does
 * not apply.
 */
export interface Check {
  readonly verb: string;
  /**
   * The first operands, of which one must be there; several are separated by ` | `. `{}` stands for the name of a
   * script that checks, `*` for any word.
   */
  readonly sub?: string;
  /** Options without a value. */
  readonly flags?: string;
  /** Options with a value, in the next word or behind `=`. */
  readonly valued?: string;
  /** One of these must be there: without it, the program changes files. */
  readonly needs?: string;
  /** Further operands are files, packages or filters. Otherwise each must be one that `sub` lists. */
  readonly files?: true;
}

const QUIET = '-v -vv -q -s --verbose --quiet --silent --color --no-color --colors';
const SCRIPT = `${QUIET} --if-present --workspaces -ws -r --recursive --parallel --stream --no-bail --include-workspace-root`;
const SCRIPT_VALUED = '-w --workspace --filter -F --prefix -C --dir --cwd --workspace-concurrency';
/** Options of test runners of JavaScript, also behind `--`. */
const RUNNER = `${QUIET} --run --coverage --no-coverage --ci --bail -b --runInBand --no-watch --listTests --passWithNoTests --detectOpenHandles --forceExit --onlyChanged --findRelatedTests --changed --noEmit --logHeapUsage --inspect=0 --headless --full-trace --dry-run --no-cache --sharding --forbid-only -x --cache --max-failures --last-failed --list`;
const RUNNER_VALUED =
  '-t --testNamePattern --testPathPattern -g --grep -f --fgrep --reporter -R --reporters --maxWorkers --pool --project --watch --watchAll --testTimeout --timeout --shard --environment --retry --retries --workers --max-warnings --ext --format --repeat-each --selectProjects';
const CARGO =
  '--release --all --workspace --all-features --no-default-features --lib --bins --tests --benches --examples --all-targets --offline --locked --frozen --no-run --no-fail-fast --doc --keep-going --nocapture --ignored --include-ignored --exact --show-output --no-deps --list --timings --check -r';
const GO =
  '-v -race -cover -short -benchmem -failfast -json -trimpath -x -n -a -count=1 -mod=mod -mod=vendor -mod=readonly -vet=off -i -msan -work';

export const CHECKS: readonly Check[] = [
  { verb: 'playwright cypress', files: true, sub: 'test | run', flags: RUNNER, valued: RUNNER_VALUED },
  {
    verb: 'npm',
    files: true,
    sub: 'test | t | tst',
    flags: `${SCRIPT} ${RUNNER}`,
    valued: `${SCRIPT_VALUED} ${RUNNER_VALUED}`,
  },
  {
    verb: 'npm pnpm yarn bun',
    files: true,
    sub: 'run {} | run-script {}',
    flags: `${SCRIPT} ${RUNNER}`,
    valued: `${SCRIPT_VALUED} ${RUNNER_VALUED}`,
  },
  {
    verb: 'pnpm yarn',
    files: true,
    sub: '{} | workspace * {} | workspaces run {}',
    flags: `${SCRIPT} ${RUNNER}`,
    valued: `${SCRIPT_VALUED} ${RUNNER_VALUED}`,
  },
  {
    verb: 'npm pnpm yarn',
    sub: 'audit',
    flags: '--json --production --omit=dev --dev --prod',
    valued: '--audit-level --level',
  },
  { verb: 'bun', files: true, sub: 'test', flags: RUNNER, valued: RUNNER_VALUED },
  {
    verb: 'turbo nx lerna wireit moon',
    files: true,
    sub: 'run {} | {} | run-many | affected',
    flags: `${SCRIPT} --all --affected --force --dry --no-cache`,
    valued: `${SCRIPT_VALUED} -t --target --targets -p --projects --base --head --scope --concurrency --output-logs --parallel`,
  },
  {
    verb: 'deno',
    files: true,
    sub: 'test | lint | check | bench',
    flags: `${QUIET} --coverage --parallel --fail-fast --no-run --all --json --doc`,
    valued: '--filter --reporter --shuffle',
  },
  { verb: 'deno', files: true, sub: 'fmt', flags: `${QUIET} --check`, needs: '--check' },
  {
    verb: 'jest vitest mocha ava tap jasmine uvu tape karma wtr web-test-runner',
    files: true,
    sub: ' | run | test | start',
    flags: RUNNER,
    valued: RUNNER_VALUED,
  },
  {
    verb: 'node',
    files: true,
    sub: '',
    flags: `--test --test-only --experimental-test-coverage --check -c --enable-source-maps --no-warnings`,
    valued: '--test-name-pattern --test-reporter --test-concurrency --test-timeout',
    needs: '--test --check -c',
  },
  {
    verb: 'tsc vue-tsc svelte-check tsgo',
    files: true,
    flags: `${QUIET} --noEmit -b --build --pretty --strict --listFiles --skipLibCheck --extendedDiagnostics --showConfig --traceResolution --version --incremental --force --dry --fail-on-warnings`,
    valued: '-p --project --target --module --tsconfig --threshold --noEmit --pretty',
  },
  {
    verb: 'eslint stylelint oxlint xo standard jshint tslint htmlhint',
    files: true,
    flags: `${QUIET} --cache --no-cache --report-unused-disable-directives --no-error-on-unmatched-pattern --debug --fix-dry-run --print-config --no-inline-config --deny-warnings`,
    valued: '--ext --max-warnings --format -f --quiet --ignore-pattern --rule --cache-location',
  },
  {
    verb: 'prettier',
    files: true,
    flags: `${QUIET} --check -c --list-different -l --no-config --ignore-unknown -u --cache`,
    valued: '--log-level --loglevel --parser --ignore-path',
    needs: '--check -c --list-different -l',
  },
  {
    verb: 'biome',
    files: true,
    sub: 'check | lint | ci | format',
    flags: `${QUIET} --changed --staged --no-errors-on-unmatched`,
    valued: '--max-diagnostics --diagnostic-level --colors --reporter --only --since',
  },
  {
    verb: 'knip depcheck madge publint attw size-limit syncpack npm-check-updates ncu tsd dpdm cspell markdownlint markdownlint-cli2 alex vale lychee',
    files: true,
    flags: `${QUIET} --production --strict --circular --json --no-exit-code --dependencies --exports --files --include-entry-exports`,
    valued: '--extensions --reporter --config --workspace --ts-config --max-issues',
  },
  {
    verb: 'vite next nuxt astro webpack rollup tsup ng parcel remix gatsby svelte-kit vuepress vitepress docusaurus',
    sub: 'build | lint | check',
    flags: `${QUIET} --sourcemap --debug --profile --prod --no-cache`,
    valued: '--mode -m --configuration',
  },
  {
    verb: 'webpack rollup tsup rspack',
    files: true,
    flags: `${QUIET} -c --sourcemap --dts --minify --bail`,
    valued: '--mode --format --env',
  },

  {
    verb: 'pytest py.test',
    files: true,
    flags: `-x -l -s -v -vv -vvv -q -qq -ra -rA -rs -rx -rf -rP -h --collect-only --co --lf --ff --nf --last-failed --failed-first --pdb=no --durations --no-header --no-summary --no-cov --cov --cov-branch --disable-warnings --strict-markers --strict-config --exitfirst --stepwise --sw --verbose --quiet --showlocals --fixtures --markers --runslow --benchmark-only --benchmark-skip --doctest-modules`,
    valued:
      '-k -m -n --maxfail --tb --durations --cov --cov-report --cov-fail-under --timeout --ignore --ignore-glob --deselect --color --capture --dist --numprocesses --count --log-level --log-cli-level --show-capture --random-order-seed -W',
  },
  {
    verb: 'unittest doctest',
    files: true,
    sub: '',
    flags: '-v -q -f -b -c --verbose --failfast --buffer discover',
    valued: '-k -s -p -t',
  },
  {
    verb: 'coverage',
    files: true,
    sub: 'report | xml | html | json',
    flags: '-m --show-missing --skip-covered --skip-empty -q',
    valued: '--fail-under --precision --sort --include --omit',
  },
  {
    verb: 'tox nox',
    flags: '-q -v -r -p -l --list --parallel --no-venv -R --recreate',
    valued: '-e -s --session --sessions -k',
  },
  {
    verb: 'mypy pyright basedpyright pyre pytype ty',
    files: true,
    sub: ' | check',
    flags: `${QUIET} --strict --ignore-missing-imports --show-error-codes --pretty --no-incremental --namespace-packages --explicit-package-bases --outputjson --stats --warnings --check-untyped-defs --no-error-summary --follow-imports=silent --show-error-context`,
    valued: '-p -m --package --module --python-version --platform --exclude --level --pythonversion --follow-imports',
  },
  {
    verb: 'flake8 pylint pyflakes pycodestyle pydocstyle bandit vulture radon interrogate',
    files: true,
    sub: ' | cc | mi',
    flags: `${QUIET} -r -ll -lll -a -nc --count --statistics --show-source --benchmark -E --errors-only --exit-zero`,
    valued:
      '--max-line-length --ignore --select --extend-ignore --exclude --disable --enable --rcfile --jobs -j -f --max-complexity --output-format --min-confidence --fail-under',
  },
  {
    verb: 'ruff',
    files: true,
    sub: 'check',
    flags: `${QUIET} --no-fix --show-files --show-settings --statistics --no-cache --diff --preview --exit-zero -n`,
    valued: '--select --ignore --extend-select --output-format --target-version --line-length',
  },
  { verb: 'ruff', files: true, sub: 'format', flags: `${QUIET} --check --diff`, needs: '--check --diff' },
  {
    verb: 'black isort autopep8 yapf',
    files: true,
    flags: `${QUIET} --check --diff --check-only --profile=black -c -d --recursive`,
    valued: '--line-length -l --target-version -t --profile --exclude',
    needs: '--check --diff --check-only',
  },

  {
    verb: 'cargo',
    files: true,
    sub: 'test | t | check | c | clippy | build | b | bench | doc | nextest run | nextest list',
    flags: `${QUIET} ${CARGO}`,
    valued:
      '-p --package --bin --example --test --bench --features -F -j --jobs --target --message-format --profile --test-threads --exclude --color -D -W -A --skip -E --retries',
  },
  { verb: 'cargo', files: true, sub: 'fmt', flags: `${QUIET} --check --all`, needs: '--check' },
  {
    verb: 'cargo',
    files: true,
    sub: 'audit | deny check | outdated | udeps | machete | msrv | semver-checks | geiger | bloat | expand',
    flags: `${QUIET} --release --workspace --all-targets`,
    valued: '-p --bin',
  },
  { verb: 'rustfmt', files: true, flags: '--check', valued: '--edition', needs: '--check' },
  {
    verb: 'go',
    files: true,
    sub: 'test | build | vet',
    flags: GO,
    valued:
      '-run -bench -timeout -tags -parallel -coverprofile -covermode -coverpkg -cpu -benchtime -count -shuffle -o -skip -fuzztime -p -mod -modfile -list',
  },
  { verb: 'gofmt goimports gofumpt', files: true, flags: '-l -d -e -s', needs: '-l -d' },
  {
    verb: 'golangci-lint staticcheck govulncheck errcheck revive gosec',
    files: true,
    sub: ' | run',
    flags: `${QUIET} -v --fast --new --no-config --allow-parallel-runners`,
    valued:
      '-E -D --enable --disable --timeout --concurrency --new-from-rev --tests --out-format --build-tags -checks -tags',
  },

  {
    verb: 'make gmake',
    sub: '{} | all',
    flags: '-k -s -B -w --silent --keep-going --no-print-directory -j --always-make --warn-undefined-variables',
    valued: '-j --jobs -C --directory -l',
  },
  {
    verb: 'make gmake',
    files: true,
    flags: '-n --dry-run --just-print --recon -k -s -B --no-print-directory',
    valued: '-C --directory -j --jobs',
    needs: '-n --dry-run --just-print --recon',
  },
  {
    verb: 'terraform tofu',
    sub: 'plan | validate',
    flags: '-no-color -input=false -lock=false -refresh=false -detailed-exitcode -compact-warnings -json',
    valued: '-chdir -out -target -var-file',
  },
  {
    verb: 'make gmake just',
    sub: '',
    flags: '-k -s -j --silent --keep-going --list -l --summary',
    valued: '-j --jobs -C --directory',
  },
  { verb: 'just task mage earthly', sub: '{}', flags: `${QUIET} --list --summary` },
  {
    verb: 'cmake',
    sub: '',
    flags: '-v --verbose --parallel -j --config=Release --config=Debug',
    valued: '--build -j --parallel --config',
    needs: '--build',
  },
  {
    verb: 'ctest',
    flags:
      '-V -VV -Q -N --output-on-failure --rerun-failed --progress --verbose -F --schedule-random --stop-on-failure',
    valued: '-R -E -L -LE -j --parallel --test-dir -C --timeout --repeat',
  },
  {
    verb: 'ninja samu',
    sub: ' | {} | all',
    flags: '-v -n --verbose --quiet -d=stats',
    valued: '-C -j -k -l',
  },
  {
    verb: 'meson',
    sub: 'test | compile | introspect',
    flags: '-v --verbose --list --no-rebuild --print-errorlogs --targets --tests',
    valued: '-C -j --suite --num-processes -t',
  },
  {
    verb: 'bazel bazelisk buck2',
    files: true,
    sub: 'test | build | query | cquery | info',
    flags: '-k --keep_going --nocache_test_results',
    valued: '-c --config --test_output --jobs --test_filter --output',
  },
  {
    verb: 'gradle gradlew',
    sub: 'build | test | check | assemble | classes | compileJava | compileKotlin | compileTestJava | lint | ktlintCheck | detekt | dependencies | tasks | projects | properties',
    flags:
      '-q -i -s -w --info --stacktrace --offline --parallel --no-daemon --daemon --continue --rerun-tasks --build-cache --no-build-cache --console=plain --warning-mode=all',
    valued: '--tests -x --exclude-task --max-workers --configuration',
  },
  {
    verb: 'mvn mvnw mvnd',
    sub: 'test | compile | verify | package | test-compile | validate | dependency:tree | help:effective-pom | checkstyle:check | spotbugs:check | integration-test',
    flags:
      '-q -B -o -e -X -U -am -amd -fae -ff --batch-mode --quiet --offline --no-transfer-progress -ntp -DskipTests -Dmaven.test.skip=true -DskipITs -T1C',
    valued: '-pl -Dtest -Dit.test -T -P --projects',
  },
  { verb: 'sbt mill', sub: 'test | compile | Test/compile | testQuick | scalafmtCheck', flags: '-batch -no-colors' },
  {
    verb: 'dotnet',
    files: true,
    sub: 'build | test | list | format --verify-no-changes',
    flags: '--no-restore --no-build --nologo --verify-no-changes -v:q',
    valued: '-c --configuration -f --framework --filter --logger -v --verbosity --collect -l',
  },
  {
    verb: 'mix',
    files: true,
    sub: 'test | compile | credo | dialyzer | deps | hex.outdated | xref',
    flags: '--trace --cover --stale --failed --warnings-as-errors --strict --force --all',
    valued: '--seed --only --exclude --max-failures',
  },
  { verb: 'mix', files: true, sub: 'format', flags: '--check-formatted', needs: '--check-formatted' },
  {
    verb: 'rspec rubocop standardrb brakeman reek minitest steep srb',
    files: true,
    sub: ' | tc | check',
    flags:
      '-fd -fp -b -c -q --color --no-color --fail-fast --only-failures --next-failure --parallel --display-cop-names --lint -P --profile --dry-run',
    valued: '-e -t --tag --seed --format -f --order --only --except --fail-level',
  },
  {
    verb: 'rake',
    sub: ' | {} | rubocop | default',
    flags: '-q -s --trace -T -t --dry-run -n --tasks',
  },
  {
    verb: 'rails',
    files: true,
    sub: 'test | routes | stats | about | notes | zeitwerk:check | db:version | db:migrate:status | spec',
    flags: '-v -b -f --verbose --expanded',
    valued: '-n -g -c --seed --grep',
  },
  {
    verb: 'phpunit pest phpstan psalm phpcs phpmd php-cs-fixer',
    files: true,
    sub: ' | analyse | analyze | check',
    flags: '--testdox --colors --stop-on-failure --no-coverage --no-progress --debug --dry-run --diff -s -p -n',
    valued: '--filter --group --exclude-group --testsuite --level -l --standard --memory-limit -c --configuration',
  },
  {
    verb: 'composer',
    files: true,
    sub: 'validate | show | outdated | audit | check-platform-reqs | diagnose | licenses | why | test | lint | info',
    flags: '--strict --no-check-publish --direct --locked --tree -t --no-dev --all',
  },
  {
    verb: 'swift',
    sub: 'build | test | package describe | package show-dependencies | package dump-package',
    flags: '-v --parallel --enable-code-coverage --skip-build',
    valued: '-c --configuration --filter --product --target --skip',
  },
  {
    verb: 'zig',
    sub: 'build | build test | test | fmt --check',
    flags: '--check --summary=all -Doptimize=Debug -Doptimize=ReleaseSafe --verbose',
  },
  {
    verb: 'stack cabal',
    sub: 'build | test | haddock | ls dependencies | check | outdated',
    flags: '--fast --pedantic --no-run-tests --dry-run -v1 --enable-tests',
    valued: '-j --jobs --ta --test-arguments',
  },
  {
    verb: 'dart flutter',
    files: true,
    sub: 'test | analyze | pub outdated | pub deps | doctor | devices | --version',
    flags: '--coverage --fatal-infos --fatal-warnings -v --verbose --no-pub',
    valued: '--name --plain-name -r --reporter -j --tags',
  },
  {
    verb: 'shellcheck hadolint yamllint actionlint tflint tfsec checkov trivy kubeconform kubeval ansible-lint sqlfluff cppcheck cpplint jsonlint buf protolint spectral dockle gitleaks semgrep',
    files: true,
    sub: ' | lint | fs | breaking | detect | scan',
    flags: `${QUIET} -x -a -V -r -strict -summary --strict -no-color --no-banner --enable=all --error-exitcode=1 --inline-suppr`,
    valued:
      '-e -s -S -f --severity --format --shell --exclude --level -d --std -I --suppress --dialect --ruleset --config',
  },
  { verb: 'shfmt', files: true, flags: '-d -l -s -ci -bn', valued: '-i -ln', needs: '-d -l' },
  {
    verb: 'clang-format',
    files: true,
    flags: '-n --dry-run --Werror --verbose',
    valued: '--style',
    needs: '-n --dry-run',
  },
  { verb: 'clang-tidy', files: true, flags: '--quiet', valued: '-p --checks --header-filter' },
  { verb: 'pre-commit', sub: 'validate-config | sample-config' },
];
