import type { Risk } from '../rule.ts';

/** Variables that make programs run code, or find other programs. The first row that names a variable decides. */
export interface VariableRule {
  readonly name: RegExp;
  /** Values with which it does no harm. */
  readonly harmless?: RegExp;
  /** Values with which it does; with any other it is harmless. */
  readonly harmful?: RegExp;
  readonly risk: Risk;
  readonly reason: string;
}

const PAGERS = /^(cat|less|more|head|tail|true|:|echo|vim?|nvim|nano|emacs|ed|code( --wait)?|less -[A-Za-z]+|)$/;

/** Puts directories with full names in front of, or any after, what was there. */
const KEEPS_PATH =
  /^(((\$(HOME|PWD)|~)(\/[\w.@+-]+)*|\/(?!tmp|dev|var\/tmp)[\w.@+/-]+|(\.\/)?(node_modules\/\.bin|\.?venv\/bin|vendor\/bin)):)*\$PATH(:[^\ue100\ue101]*)?$/;

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
  { name: /^PATH$/, harmless: KEEPS_PATH, risk: 'dangerous', reason: 'lets other programs stand for the known ones' },
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
    harmful:
      /-r\b|--require|--import|--loader|--experimental-loader|--inspect|--eval|--openssl|--env-file|--experimental-sea|[\ue100\ue101]/,
    risk: 'dangerous',
    reason: 'has an interpreter run code',
  },
  {
    name: /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)$/,
    harmful: /-(javaagent|agentlib|agentpath|XX:On|Xbootclasspath|XX:Flags|Djava\.class\.path)|[\ue100\ue101@]/,
    risk: 'dangerous',
    reason: 'has an interpreter run code',
  },
  {
    name: /^GO(FLAGS|TOOLDIR|ROOT)$/,
    harmful: /-(toolexec|exec|vettool|overlay|modfile)|^[./]|[\ue100\ue101]/,
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
    name: /^(npm_config_\w+|NPM_CONFIG_\w+)$/,
    harmful: /\/|sh|--|[\ue100\ue101]/,
    risk: 'dangerous',
    reason: 'gives npm other options',
  },
  {
    name: /^(MAKEFLAGS|GNUMAKEFLAGS|MFLAGS|MAKEFILES|MAKESHELL)$/,
    harmless: /^[\s\w-]*$/,
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
    name: /^(DOCKER_HOST|KUBECONFIG|AWS_\w+|https?_proxy|HTTPS?_PROXY|ALL_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|GOPROXY|HOME|IFS|CDPATH|TMPDIR|PYTHONPATH|PERL5LIB|PERLLIB|RUBYLIB|NODE_PATH|CLASSPATH|LUA_PATH|LUA_CPATH|GEM_PATH|GEM_HOME|CC|CXX|LD|AR)$/,
    risk: 'caution',
    reason: 'changes what later commands find',
  },
  {
    name: /^(LC_\w+|LANG|LANGUAGE|TZ|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|DEBUG|CI|PAGER_OPTS|PYTHONIOENCODING|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE|RUST_LOG|NODE_ENV|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|TIMEFORMAT)$/,
    risk: 'safe',
    reason: 'changes only how things are shown',
  },
];
