import type { Risk } from '@jinn/core';

/** Judges an environment variable by its name and value. The first row that names a variable decides. */
export interface VariableRule {
  readonly name: RegExp;
  /** Values that do no harm. */
  readonly harmless?: RegExp;
  /** Values that do harm. All others are harmless, or `caution` if the rule says which are harmless. */
  readonly harmful?: RegExp;
  readonly risk: Risk;
  readonly reason: string;
  /** The risk of a harmless value. Safe if absent. */
  readonly otherwise?: Risk;
}

export const ORDINARY = 'has an ordinary value';
export const FINDS_OTHERS = 'changes what later commands find';

const PAGERS = /^(cat|less|more|head|tail|true|:|echo|vim?|nvim|nano|emacs|ed|code( --wait)?|less -[A-Za-z]+|)$/;

/** Puts directories with full names in front of, or any after, what was there. */
const KEEPS_PATH =
  /^((((\$(HOME|PWD)|~)(\/[\w.@+-]+)*|\/(?!tmp|dev|var\/tmp)[\w.@+/-]+|(\.\/)?([\w.-]+\/)*\.?(s?bin|scripts|Scripts)):)*\$PATH(:[^\ue100\ue101]*)?|\/(usr|bin|sbin|opt)(\/[\w.+-]+)*(:\/(usr|bin|sbin|opt)(\/[\w.+-]+)*)*)$/;

/** Variables that decide what programs print. */
const SHOWN =
  'LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR COLOR DEBUG DEBUG_COLORS VERBOSE QUIET LOG_LEVEL LOGLEVEL LOG_FORMAT PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8 PYTHONFAULTHANDLER PYTHONDEVMODE PYTHONASYNCIODEBUG PYTHONTRACEMALLOC RUST_BACKTRACE RUST_LOG RUST_LIB_BACKTRACE NODE_DEBUG NODE_NO_WARNINGS NODE_PENDING_DEPRECATION NO_UPDATE_NOTIFIER NPM_CONFIG_UPDATE_NOTIFIER NEXT_TELEMETRY_DISABLED DO_NOT_TRACK DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ANALYTICS CARGO_TERM_COLOR CARGO_TERM_VERBOSE CARGO_TERM_PROGRESS_WHEN TIMEFORMAT PAGER_OPTS PY_COLORS MYPY_FORCE_COLOR CLICOLOR_FORCE GTEST_COLOR TF_LOG TF_IN_AUTOMATION TF_CLI_ARGS_NO_COLOR ANSIBLE_NOCOWS ANSIBLE_FORCE_COLOR GODEBUG GOTRACEBACK BUILDKIT_PROGRESS COMPOSE_ANSI DEBIAN_FRONTEND';

/** Variables that choose among the modes that a program offers. */
const MODES =
  'CI GITHUB_ACTIONS NODE_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV FLASK_DEBUG DJANGO_DEBUG MIX_ENV BABEL_ENV ASPNETCORE_ENVIRONMENT DOTNET_ENVIRONMENT SPRING_PROFILES_ACTIVE ENVIRONMENT STAGE PORT HOST PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONNOUSERSITE PYTHONSAFEPATH GOOS GOARCH GOARM GOAMD64 GOMAXPROCS GOMEMLIMIT CGO_ENABLED GO111MODULE GOWORK_OFF CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_BUILD_JOBS RUST_TEST_THREADS RUST_MIN_STACK OMP_NUM_THREADS MKL_NUM_THREADS UV_THREADPOOL_SIZE TOKENIZERS_PARALLELISM CUDA_VISIBLE_DEVICES JOBS HUSKY SKIP_PREFLIGHT_CHECK TS_NODE_TRANSPILE_ONLY DOCKER_BUILDKIT COMPOSE_PROJECT_NAME COMPOSE_PROFILES DOCKER_DEFAULT_PLATFORM PGHOST PGPORT PGUSER PGDATABASE PGCONNECT_TIMEOUT TEST TESTING SEED TURBO_FORCE UPDATE_SNAPSHOT DISPLAY PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_NO_CACHE_DIR UV_OFFLINE COVERAGE BENCH SLOW VITEST JEST_WORKERS PUPPETEER_SKIP_DOWNLOAD PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD SOURCE_DATE_EPOCH';

const words = (list: string) => list.replaceAll(' ', '|');

export const VARIABLES: readonly VariableRule[] = [
  {
    name: /^(LD_PRELOAD|LD_AUDIT|LD_DEBUG_OUTPUT|DYLD_(INSERT|FRAMEWORK|FALLBACK|LIBRARY|VERSIONED)\w*|GCONV_PATH|MALLOC_TRACE|GLIBC_TUNABLES)$/,
    risk: 'dangerous',
    reason: 'loads other code into programs',
  },
  {
    name: /^LD_LIBRARY_PATH$/,
    harmless: /^[^\ue100]*[\w/][^\ue100]*$/,
    risk: 'dangerous',
    otherwise: 'caution',
    reason: 'loads other code into programs',
  },
  { name: /^PS[0-4]$/, harmless: /^[^$`\ue100\ue101]*$/, risk: 'dangerous', reason: 'has the shell run code' },
  {
    name: /^(BASH_ENV|PROMPT_COMMAND|BASH_FUNC_.*|BASH_XTRACEFD|SHELLOPTS|BASHOPTS|ZDOTDIR|FPATH|INPUTRC)$/,
    harmless: /^$/,
    risk: 'dangerous',
    reason: 'has the shell run code',
  },
  { name: /^ENV$/, harmless: /^[\w-]*$/, risk: 'dangerous', reason: 'has the shell run code' },
  {
    name: /^PATH$/,
    harmless: KEEPS_PATH,
    risk: 'dangerous',
    otherwise: 'caution',
    reason: 'lets other programs stand for the known ones',
  },
  {
    name: /^BASH_(CMDS|ALIASES|LOADABLES_PATH)$/,
    risk: 'dangerous',
    reason: 'lets a name stand for another program',
  },
  {
    name: /^GIT_SSH_COMMAND$/,
    harmless:
      /^ssh( -[46aCTvx]+| -p ?\d+| -i \S+| -o (StrictHostKeyChecking|IdentitiesOnly|BatchMode|ConnectTimeout|LogLevel|UserKnownHostsFile|IdentityFile|PasswordAuthentication|ServerAlive\w+)=[\w./~-]+)*$/,
    risk: 'dangerous',
    otherwise: 'caution',
    reason: 'has git or ssh run another program',
  },
  {
    name: /^(GIT_(EXTERNAL_DIFF|SSH|SSH_COMMAND|PROXY_COMMAND|ASKPASS|EXEC_PATH|TEMPLATE_DIR|CONFIG(_\w+)?|ALTERNATE_OBJECT_DIRECTORIES|ALLOW_PROTOCOL)|SSH_ASKPASS|SUDO_ASKPASS|SVN_SSH|CVS_RSH|RSYNC_RSH|HGRCPATH)$/,
    harmless: /^(\/dev\/null|true|:|echo|0|1)$/,
    risk: 'dangerous',
    reason: 'has git or ssh run another program',
  },
  {
    name: /^(GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|GIT_COMMON_DIR)$/,
    risk: 'caution',
    reason: 'takes the settings of another repository',
  },
  {
    name: /^((GIT|MAN|SYSTEMD_|AWS_|GH_|PSQL_|DELTA_|BAT_)?_?PAGER|(GIT_|GIT_SEQUENCE_|VISUAL|FC|SVN_|KUBE_|HG)?_?EDITOR|VISUAL|FCEDIT|BROWSER|GIT_SEQUENCE_EDITOR|PSQL_EDITOR)$/,
    harmless: PAGERS,
    risk: 'dangerous',
    reason: 'is run as a pager or editor',
  },
  {
    name: /^(LESSOPEN|LESSCLOSE|LESSKEY\w*|LESSEDIT|MANROFFOPT|MANOPT|TAR_OPTIONS|ZIPOPT|UNZIP|RIPGREP_CONFIG_PATH|ACK_OPTIONS|ACKRC|BAT_CONFIG_PATH|GREP_OPTIONS|FZF_DEFAULT_COMMAND|FZF_DEFAULT_OPTS|WGETRC|CURL_HOME|NETRC|OPENSSL_CONF|OPENSSL_ENGINES|TERMINFO|TERMCAP|GTK_MODULES|QT_PLUGIN_PATH)$/,
    harmless: /^$/,
    risk: 'dangerous',
    reason: 'gives programs other options',
  },
  { name: /^(LESS|MORE)$/, harmless: /^[\w-]*$/, risk: 'dangerous', reason: 'gives programs other options' },
  {
    name: /^(PYTHONSTARTUP|PYTHONHOME|PYTHONBREAKPOINT|PYTHONINSPECT|PYTHONUSERBASE|PYTHONEXECUTABLE|PERL5OPT|PERL5DB|RUBYOPT|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT\w*|R_PROFILE\w*|JULIA_\w*LOAD_PATH|ERL_\w*FLAGS|ELIXIR_ERL_OPTIONS)$/,
    harmless: /^(0|1|-W\w*)?$/,
    risk: 'dangerous',
    reason: 'has an interpreter run code',
  },
  {
    name: /^NODE_OPTIONS$/,
    harmless:
      /^(--(max-(old|semi)-space-size=\d+|no-warnings|no-deprecation|trace-(warnings|deprecation|uncaught)|enable-source-maps|experimental-[\w-]+modules|experimental-strip-types|throw-deprecation|unhandled-rejections=\w+|stack-trace-limit=\d+|dns-result-order=\w+|test) ?)*$/,
    harmful:
      /-r\b|--require|--import|--loader|--experimental-loader|--inspect|--eval|--openssl|--env-file|--experimental-sea|[\ue100\ue101]/,
    risk: 'dangerous',
    reason: 'has an interpreter run code',
  },
  {
    name: /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)$/,
    harmless:
      /^(-(Xm[xsn]|Xss|XX:Max\w+=)\d+[kmgKMG]? ?|-D(file\.encoding|org\.gradle\.(daemon|parallel|caching)|java\.awt\.headless|user\.(timezone|language))=[\w-]+ ?|-ea ?|-XX:\+Use\w+ ?)*$/,
    harmful: /-(javaagent|agentlib|agentpath|XX:On|Xbootclasspath|XX:Flags|Djava\.class\.path)|[\ue100\ue101@]/,
    risk: 'dangerous',
    reason: 'has an interpreter run code',
  },
  {
    name: /^GO(FLAGS|TOOLDIR|ROOT)$/,
    harmless: /^(-(mod=(mod|vendor|readonly)|v|race|short|count=\d+|tags=[\w,]+|trimpath|buildvcs=\w+) ?)*$/,
    harmful: /-(toolexec|exec|vettool|overlay)|^[./]|[\ue100\ue101]/,
    risk: 'dangerous',
    reason: 'has go run another program',
  },
  {
    name: /^(RUSTC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|RUSTDOC|CARGO_BUILD_RUSTC\w*|CARGO_TARGET_\w+_(RUNNER|LINKER)|CARGO_ALIAS_\w+)$/,
    harmless: /^(sccache|rustc|clippy-driver|cc|clang|gcc|lld|)$/,
    risk: 'dangerous',
    reason: 'has cargo run another program',
  },
  {
    name: /^(npm_config_(loglevel|color|fund|audit|progress|yes|offline)|NPM_CONFIG_(LOGLEVEL|COLOR|FUND|AUDIT|PROGRESS|YES|OFFLINE))$/,
    risk: 'safe',
    reason: 'changes only how things are shown',
  },
  {
    name: /^(npm_config_\w+|NPM_CONFIG_\w+)$/,
    harmful: /\/|sh|--|[\ue100\ue101]/,
    risk: 'dangerous',
    otherwise: 'caution',
    reason: 'gives npm other options',
  },
  {
    name: /^(MAKEFILES|MAKESHELL)$/,
    harmless: /^$/,
    risk: 'dangerous',
    reason: 'gives make other rules',
  },
  {
    name: /^(MAKEFLAGS|GNUMAKEFLAGS|MFLAGS)$/,
    harmless: /^ ?(-{0,2}(j ?\d*|s|k|B|w|n|silent|no-print-directory|keep-going|jobs=\d+|output-sync) ?)*$/,
    risk: 'dangerous',
    reason: 'gives make other rules',
  },
  {
    name: /^(SHELL|CONFIG_SHELL)$/,
    harmless: /^(\/usr)?\/bin\/(ba|z|da|fi)?sh$/,
    risk: 'dangerous',
    reason: 'lets another program stand for the shell',
  },
  {
    name: /^(PYTHONWARNINGS)$/,
    harmless: /^(default|error|always|module|once|ignore)(::\w*Warning)?$/,
    risk: 'caution',
    reason: 'has Python import a module',
  },
  {
    name: /^(RUSTFLAGS|RUSTDOCFLAGS|PYTEST_ADDOPTS|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS)$/,
    harmless:
      /^(-[DWAF] ?[\w:-]+(=\w*)? ?|-C ?(target-cpu|opt-level|debuginfo|instrument-coverage|codegen-units)(=[\w-]+)? ?|-[OgWfm][\w=+-]*(?<!-fplugin\S*) ?|--cfg[ =]\w+ ?|-[vqxs]+ ?|--(tb|color|maxfail|durations)=\w+ ?|-std=\S+ ?|-lm? ?|-pthread ?)*$/,
    risk: 'caution',
    reason: 'gives programs other options',
  },
  {
    name: /^AWS_(PROFILE|REGION|DEFAULT_\w+|MAX_ATTEMPTS|RETRY_MODE|EC2_METADATA_DISABLED)$/,
    risk: 'safe',
    reason: 'names an account or a region',
  },
  { name: /^IFS$/, harmless: /^[^\w\ue100\ue101]*$/, risk: 'caution', reason: FINDS_OTHERS },
  {
    name: /^PYTHONPATH$/,
    harmless: /^(\.|(\.\/)?\w[\w-]*(\/\w[\w-]*)*)(:(\.|(\.\/)?\w[\w-]*(\/\w[\w-]*)*))*$/,
    risk: 'caution',
    reason: FINDS_OTHERS,
  },
  {
    name: /^(DOCKER_HOST|KUBECONFIG|AWS_\w+|https?_proxy|HTTPS?_PROXY|ALL_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|GOPROXY|HOME|CDPATH|TMPDIR|PERL5LIB|PERLLIB|RUBYLIB|NODE_PATH|CLASSPATH|LUA_PATH|LUA_CPATH|GEM_PATH|GEM_HOME|CC|CXX|LD|AR|GLOBIGNORE|EXECIGNORE|HISTFILE|POSIXLY_CORRECT|BASH_\w+|DATABASE_URL)$/,
    risk: 'caution',
    reason: FINDS_OTHERS,
  },
  {
    name: /^GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|TRACE\w*|CURL_VERBOSE|MERGE_AUTOEDIT|FLUSH|ADVICE|(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|LITERAL_PATHSPECS|DISCOVERY_ACROSS_FILESYSTEM|CEILING_DIRECTORIES|PAGER_IN_USE|LFS_SKIP_SMUDGE)$/,
    harmful: /\/|[\ue100\ue101]/,
    risk: 'caution',
    reason: 'has git write a file',
  },
  { name: /^GIT_\w+$/, risk: 'caution', reason: 'changes what git does' },
  {
    name: new RegExp(`^(${words(SHOWN)}|LC_\\w+|CLICOLOR\\w*|\\w+_LOG_LEVEL|\\w+_(LOG|DEBUG|VERBOSE))$`),
    risk: 'safe',
    reason: 'changes only how things are shown',
  },
  {
    name: new RegExp(`^(${words(MODES)}|(VITE|REACT_APP|NEXT_PUBLIC|TF_VAR|STORYBOOK)_\\w+)$`),
    risk: 'safe',
    reason: 'chooses a mode of the program',
  },
];
