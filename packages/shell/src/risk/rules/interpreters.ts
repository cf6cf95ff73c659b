export interface Interpreter {
  readonly verb: string;
  /** Options whose word is the code. */
  readonly code: string;
  /** Other options that take the next word. */
  readonly valued?: string;
  /** Options after which nothing is code: they name a module or a mode, or only ask. */
  readonly ends?: string;
  /** Subcommands that take code. */
  readonly evaluates?: string;
  /** True for one that takes `-m module` and finds the programs of its packages by it. */
  readonly modules?: true;
  /** True for one in which backquotes run a command. */
  readonly backquotes?: true;
  /** True for a shell: its code is commands. */
  readonly isShell?: true;
}

export const INTERPRETERS: readonly Interpreter[] = [
  {
    verb: 'python pypy ipython',
    code: '-c',
    valued: '-W -X --check-hash-based-pycs',
    ends: '-m -V -VV -h --version --help',
    modules: true,
  },
  {
    verb: 'node nodejs',
    code: '-e -p -pe --eval --print',
    valued: '-r -C --require --import --loader --experimental-loader --conditions --input-type --env-file',
    ends: '-v -h -c --check --version --help --test --run --watch',
  },
  {
    verb: 'deno',
    code: '',
    ends: 'run test fmt lint check task cache info install compile doc bench -V --version --help',
    evaluates: 'eval repl',
  },
  {
    verb: 'bun',
    code: '-e -p --eval --print',
    ends: 'run test install add build create init pm x dlx remove update i -v --version --help ci',
    evaluates: 'repl',
  },
  {
    verb: 'tsx ts-node',
    code: '-e -p -pe --eval --print',
    valued: '-r --require -P --project',
    ends: '-v --version --help',
  },
  { verb: 'perl', code: '-e -E', valued: '-I -M -m', ends: '-v -V -h -c', backquotes: true },
  { verb: 'ruby jruby', code: '-e', valued: '-I -r -C -E', ends: '-v -h -c --version --help', backquotes: true },
  { verb: 'irb pry', code: '', valued: '-I -r' },
  { verb: 'php', code: '-r -B -R -E', valued: '-d -c -z -t -S', ends: '-v -m -i -l -h --version -S', backquotes: true },
  { verb: 'lua luajit texlua', code: '-e', valued: '-l', ends: '-v' },
  { verb: 'rscript r', code: '-e', valued: '-f --file', ends: '--version CMD' },
  { verb: 'julia', backquotes: true, code: '-e -E --eval --print', valued: '-L -p -t', ends: '-v --version' },
  { verb: 'osascript', code: '-e', valued: '-l -s' },
  {
    verb: 'pwsh powershell',
    isShell: true,
    code: '-c -command -encodedcommand -ec -e -enc -Command -EncodedCommand -cwa',
    valued: '-ExecutionPolicy -ep',
    ends: '-Version --version -File -f',
  },
  { verb: 'cmd', code: '/c /k /C /K /r', isShell: true },
  { verb: 'elixir iex', code: '-e --eval --rpc-eval', valued: '-r -S', ends: '--version -v' },
  { verb: 'erl', code: '-eval', valued: '-pa -s -run', ends: '-version' },
  {
    verb: 'groovy scala kotlin kotlinc jshell clojure clj bb',
    code: '-e --eval -execute',
    valued: '-cp -classpath',
    ends: '--version -version',
  },
  { verb: 'ghc runghc stack-ghci ghci', code: '-e', ends: '--version' },
  { verb: 'guile racket sbcl clisp scheme chicken csi gosh', code: '-e -c --eval -x --load', ends: '--version -v' },
  {
    verb: 'ocaml swift nim crystal',
    code: '-e --eval eval',
    ends: '--version build run test package -version compile c check tool',
  },
  { verb: 'tclsh wish expect', code: '-c', ends: '--version -v' },
  { verb: 'octave maxima gnuplot', code: '-e --eval', ends: '--version' },
  {
    verb: 'rails',
    code: '',
    evaluates: 'runner r console',
    ends: 'test server db:migrate generate routes s g t new about',
  },
  { verb: 'tinker', code: '' },
];

/** Calls in a text that an interpreter is given that are dangerous wherever they stand. No one reads the rest of it. */
export interface CodeRule {
  readonly pattern: RegExp;
  readonly reason: string;
  /** True if this is meant only where backquotes run a command: in Perl, Ruby, PHP and Julia. */
  readonly backquotes?: true;
}

export const HARMFUL_CODE: readonly CodeRule[] = [
  {
    pattern:
      /\b(?:rmtree|rmdir|removedirs|unlink|FileUtils|Remove-Item|removeFile|removeDirectory\w*|(?:rm|rmdir|unlink|remove|truncate)Sync|delete[-_]file)\b|\brm!?\s*\(|\b(?:os|io|fs|File|Dir|Deno)\s*\??\.\s*(?:rm|remove|delete|truncate)\b|\bimport\b[^\n;]{0,200}\bremove\b/,
    reason: 'runs code that removes files',
  },
  {
    pattern:
      /\b(?:system|subprocess|child_process|popen\w*|spawn\w*|execSync|execFile\w*|(?:shell_|pcntl_)exec|passthru|proc_open|fork|qx|run-program|pty)\b|(?<!\.)\bexec[lv]?p?e?\b|\b(?:os|Kernel|Process)\s*\.\s*exec|\bos:cmd\b|%x\W|do shell script|\bopen\b[^\n;]{0,200}\|/i,
    reason: 'runs code that starts another program',
  },
  { pattern: /`/, reason: 'runs code that starts another program', backquotes: true },
  { pattern: /\bkill(?:pg)?\b/, reason: 'runs code that ends processes' },
  {
    pattern:
      /\b(?:eval|execfile|getattr|globals|vars|locals|builtins|constructor|Function|Reflect|runpy|ctypes|pickle|marshal|mainModule|getBuiltinModule|binding|dlopen|runIn\w*Context)\b|\b__(?!(?:name|version|file|doc|main)__)\w+__|(?<!\.)\bcompile\s*\(|\(\?\??\{/,
    reason: 'runs code that makes more code',
  },
  { pattern: /\w["']\s*(?:\+|\.\.?)\s*["']\w/, reason: 'runs code that puts names together' },
];
