/** A program that runs code. */
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
  /** The language, where harmless code can be told. */
  readonly language?: 'python' | 'javascript' | 'perl';
}

export const INTERPRETERS: readonly Interpreter[] = [
  {
    verb: 'python pypy ipython',
    code: '-c',
    valued: '-W -X --check-hash-based-pycs',
    ends: '-m -V -VV -h --version --help',
    language: 'python',
  },
  {
    verb: 'node nodejs',
    code: '-e -p -pe --eval --print',
    valued: '-r -C --require --import --loader --experimental-loader --conditions --input-type --env-file',
    ends: '-v -h -c --check --version --help --test --run --watch',
    language: 'javascript',
  },
  {
    verb: 'deno',
    code: '',
    ends: 'run test fmt lint check task cache info install compile doc bench -V --version --help',
    evaluates: 'eval repl',
    language: 'javascript',
  },
  {
    verb: 'bun',
    code: '-e -p --eval --print',
    ends: 'run test install add build create init pm x dlx remove update i -v --version --help ci',
    evaluates: 'repl',
    language: 'javascript',
  },
  {
    verb: 'tsx ts-node',
    code: '-e -p -pe --eval --print',
    valued: '-r --require -P --project',
    ends: '-v --version --help',
    language: 'javascript',
  },
  { verb: 'perl', code: '-e -E', valued: '-I -M -m', ends: '-v -V -h -c', language: 'perl' },
  { verb: 'ruby jruby', code: '-e', valued: '-I -r -C -E', ends: '-v -h -c --version --help' },
  { verb: 'irb pry', code: '', valued: '-I -r' },
  { verb: 'php', code: '-r -B -R -E', valued: '-d -c -z -t -S', ends: '-v -m -i -l -h --version -S' },
  { verb: 'lua luajit texlua', code: '-e', valued: '-l', ends: '-v' },
  { verb: 'rscript r', code: '-e', valued: '-f --file', ends: '--version CMD' },
  { verb: 'julia', code: '-e -E --eval --print', valued: '-L -p -t', ends: '-v --version' },
  { verb: 'osascript', code: '-e', valued: '-l -s' },
  {
    verb: 'pwsh powershell',
    code: '-c -command -encodedcommand -ec -e -enc -Command -EncodedCommand -cwa',
    valued: '-ExecutionPolicy -ep',
    ends: '-Version --version -File -f',
  },
  { verb: 'cmd', code: '/c /k /C /K /r' },
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

/**
 * Names that code may use and still be vouched for: they compute and print. Single letters may stand for variables.
 * Nothing that opens, runs, loads or looks up by name belongs here.
 */
export const HARMLESS_NAMES: Readonly<Record<'python' | 'javascript', string>> = {
  python:
    'import from as for in if else and or not is None True False lambda print sys version version_info json load loads dumps stdin read readlines argv math sqrt pi floor ceil len str int float bool list dict set tuple sum min max sorted reversed range enumerate zip round abs any all join split splitlines strip lower upper replace startswith endswith keys values items get count index append sort indent ensure_ascii separators sort_keys datetime date time now today isoformat strftime timedelta total_seconds platform python_version machine system_version base64 b64encode b64decode decode encode hashlib sha256 md5 hexdigest uuid uuid4 statistics mean median collections Counter most_common maxsize byteorder executable prefix end sep key data line row name item',
  javascript:
    'console log error table process version versions node arch platform JSON stringify parse Math floor ceil round random max min sqrt pow abs PI Number String Boolean parseInt parseFloat toFixed toString length map filter join split trim sort reverse slice includes startsWith endsWith toUpperCase toLowerCase keys entries values Object Array isArray Date now toISOString const let var null undefined true false typeof if else of for in name main type scripts dependencies devDependencies engines exports workspaces data item key',
};
