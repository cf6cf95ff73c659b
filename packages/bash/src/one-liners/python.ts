import { Cursor, type Harmless, names, type Token, Unknown } from './tokens.ts';

/** Builtins that run code, or reach what is named by a text. `open` is looked at by itself. */
const FORBIDDEN = names(
  '__import__ eval exec compile getattr setattr delattr globals locals vars breakpoint input execfile reload file apply help __builtins__ __loader__ __spec__',
);

/** The harmless names of each module. Code may use a module only in front of a dot. */
const MODULES: Readonly<Record<string, string>> = {
  sys: 'version version_info path argv platform executable maxsize byteorder prefix base_prefix exec_prefix implementation stdin stdout stderr exit getsizeof getrecursionlimit flags hexversion api_version builtin_module_names stdlib_module_names getdefaultencoding getfilesystemencoding float_info int_info',
  os: 'getcwd listdir environ getenv path sep linesep name cpu_count getpid getppid getuid uname stat lstat walk scandir curdir pathsep get_terminal_size getloadavg access R_OK W_OK X_OK F_OK urandom times sched_getaffinity',
  'os.path':
    'exists join basename dirname abspath realpath expanduser isfile isdir islink getsize getmtime splitext split relpath normpath commonpath sep',
  json: 'load loads dumps JSONDecodeError',
  math: '*',
  cmath: '*',
  statistics: '*',
  string: 'ascii_letters ascii_lowercase ascii_uppercase digits punctuation hexdigits whitespace printable',
  re: 'compile match search findall finditer sub subn split fullmatch escape I M S X IGNORECASE MULTILINE DOTALL VERBOSE',
  datetime: 'datetime date time timedelta timezone UTC',
  time: 'time sleep strftime localtime gmtime perf_counter monotonic time_ns ctime mktime tzname timezone process_time strptime',
  platform:
    'python_version system machine release platform node processor architecture uname python_implementation version mac_ver',
  random: 'random randint choice choices sample shuffle uniform seed gauss randrange',
  itertools: '*',
  functools: 'reduce lru_cache cache',
  collections: 'Counter defaultdict OrderedDict deque namedtuple ChainMap',
  decimal: 'Decimal getcontext ROUND_HALF_UP',
  fractions: 'Fraction',
  base64:
    'b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode b16encode b16decode b85encode b85decode',
  hashlib: 'md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_256 algorithms_available algorithms_guaranteed',
  binascii: 'hexlify unhexlify crc32 b2a_hex a2b_hex',
  zlib: 'crc32 adler32 compress decompress',
  uuid: 'uuid1 uuid3 uuid4 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL',
  secrets: 'token_hex token_urlsafe token_bytes choice randbelow',
  textwrap: 'wrap fill dedent indent shorten',
  pprint: 'pprint pformat',
  calendar: 'month calendar monthrange isleap day_name month_name timegm',
  struct: 'pack unpack calcsize',
  unicodedata: 'name category normalize lookup',
  html: 'escape unescape',
  urllib: 'parse',
  'urllib.parse': 'quote unquote quote_plus unquote_plus urlparse urlencode parse_qs parse_qsl urljoin urlsplit',
  shutil: 'which disk_usage get_terminal_size',
  glob: 'glob iglob',
  fnmatch: 'fnmatch filter',
  pathlib: 'Path PurePath PurePosixPath',
  socket: 'gethostname getfqdn',
  getpass: 'getuser',
  tempfile: 'gettempdir',
  sysconfig: 'get_paths get_path get_config_var get_config_vars get_platform',
  site: 'getsitepackages getusersitepackages',
  locale: 'getpreferredencoding getdefaultlocale getlocale',
  importlib: 'metadata util',
  'importlib.metadata': 'version metadata distributions requires PackageNotFoundError',
  'importlib.util': 'find_spec',
  ast: 'literal_eval dump',
  csv: 'reader DictReader',
  tomllib: 'loads load',
  keyword: 'kwlist iskeyword',
  operator: 'itemgetter add mul sub',
  bisect: '*',
  heapq: '*',
  zoneinfo: 'ZoneInfo available_timezones',
  ssl: 'OPENSSL_VERSION',
  sqlite3: 'sqlite_version version',
};

/** Attributes of values that only compute. */
const ATTRIBUTES = names(
  'join split rsplit splitlines strip lstrip rstrip lower upper title capitalize casefold swapcase startswith endswith find rfind index count isdigit isalpha isalnum isspace isupper islower zfill ljust rjust center format encode decode hex partition rpartition removeprefix removesuffix translate expandtabs keys values items get copy append extend insert sort reverse pop setdefault union intersection difference symmetric_difference issubset issuperset add discard read readlines readline close buffer write flush group groups groupdict start end span isoformat strftime strptime now today utcnow fromtimestamp fromisoformat utcfromtimestamp timestamp date time weekday isoweekday isocalendar days seconds total_seconds year month day hour minute second microsecond tzinfo astimezone utc most_common elements digest hexdigest update major minor micro st_size st_mtime st_mode exists is_file is_dir is_symlink iterdir glob rglob name stem suffix suffixes parent parents parts resolve absolute expanduser cwd home read_text read_bytes stat as_posix relative_to with_suffix joinpath items real imag numerator denominator bit_length to_bytes from_bytes quantize version origin path scheme netloc query fragment hostname port sysname nodename release machine total used free columns lines fromkeys rotate appendleft popleft maxlen int bytes urn __version__ __name__ __doc__ __file__ search match findall finditer sub fullmatch pattern line field fieldnames metadata msg sum mean max min replace cache_info dtype shape',
);
/** The names that code may use of any other module. */
const ABOUT = names('__version__ __file__ __name__ __path__ __doc__ VERSION version');
const SIGNS = /==|!=|<=|>=|\*\*=?|\/\/=?|->|:=|<<=?|>>=?|[-+*/%&|^]=|[-+*/%&|^~<>()[\]{},:.;=!]/y;

/** Reads a one-liner of Python; undefined if it may do more than compute, read files and print. */
export function readPython(code: string): Harmless | undefined {
  try {
    return new Reader(tokenize(code)).read();
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

function tokenize(code: string): Token[] {
  const cursor = new Cursor(code);
  const tokens: Token[] = [];
  while (cursor.char !== '') {
    const { char } = cursor;
    if (char === '\n') {
      tokens.push({ kind: 'line', text: char });
      cursor.pos++;
    } else if (/\s/.test(char)) cursor.pos++;
    else if (char === '#') cursor.take(/[^\n]*/y);
    else tokens.push(...tokenAt(cursor));
  }
  return tokens;
}

function tokenAt(cursor: Cursor): Token[] {
  const prefix = cursor.take(/(?:[rRbBuU]|[rR][bB]|[bB][rR]|[fF][rR]?|[rR][fF])?(?=['"])/y);
  if (prefix !== undefined) return textAt(cursor, prefix.toLowerCase());
  const token = cursor.name() ?? cursor.number();
  if (token) {
    if (token.text.includes('$')) throw new Unknown();
    return [token];
  }
  const sign = cursor.take(SIGNS);
  if (sign === undefined) throw new Unknown();
  return [{ kind: 'sign', text: sign }];
}

function textAt(cursor: Cursor, prefix: string): Token[] {
  const quote = cursor.take(/'''|"""|'|"/y) ?? '';
  const text = cursor.quoted(quote);
  return prefix.includes('f') ? [text, ...expressionsIn(text.text)] : [text];
}

/** Returns the tokens of the expressions within the braces of an f-string, with what tells how to show them. */
function expressionsIn(text: string): Token[] {
  if (text.includes('\\')) throw new Unknown();
  const bare = text.replace(/\{\{|\}\}/g, '');
  if (/[{}]/.test(bare.replace(/\{[^{}]*\}/g, ''))) throw new Unknown();
  return [...bare.matchAll(/\{([^{}]*)\}/g)].flatMap(([, expression = '']) => tokenize(`(${expression})`));
}

/** Goes through the tokens once and throws at what is not known to be harmless. */
class Reader {
  readonly #tokens: readonly Token[];
  /** Names by which modules go here. */
  readonly #modules = new Map<string, string>();
  #risk: Harmless['risk'] = 'safe';
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  read(): Harmless {
    while (this.#at < this.#tokens.length) this.#token();
    const named = this.#tokens.filter(({ kind, text }) => kind === 'text' && /[/~]|^\./.test(text));
    return { risk: this.#risk, reads: named.map(({ text }) => text) };
  }

  #peek(offset = 0): string {
    const token = this.#tokens[this.#at + offset];
    return token && token.kind !== 'text' ? token.text : '';
  }

  #token(): void {
    const { kind, text } = this.#tokens[this.#at] as Token;
    this.#at++;
    if (kind !== 'name') {
      if (kind === 'sign' && text === '.') this.#attribute();
    } else if (text === 'import') this.#import();
    else if (text === 'from' && this.#isImport()) this.#fromImport();
    else if (this.#modules.has(text)) this.#useModule(this.#modules.get(text) ?? '');
    else if (text === 'open') this.#open();
    else if (FORBIDDEN.has(text) || (text.startsWith('__') && text !== '__name__')) throw new Unknown();
  }

  #isImport(): boolean {
    const before = this.#tokens[this.#at - 2];
    return before === undefined || before.kind === 'line' || before.text === ';' || before.text === ':';
  }

  #attribute(): void {
    const name = this.#peek();
    const isReplace = name === 'replace' && [...this.#modules.values()].some((module) => module.startsWith('pathlib'));
    if (!ATTRIBUTES.has(name) || isReplace) throw new Unknown();
    if (name.startsWith('read_') && !this.#isNamedPath()) throw new Unknown();
    this.#at++;
  }

  /** True behind `Path('file')`, whose file is written out. */
  #isNamedPath(): boolean {
    const [path, open, file, close] = this.#tokens.slice(Math.max(0, this.#at - 5), this.#at - 1);
    return path?.text === 'Path' && open?.text === '(' && file?.kind === 'text' && !file.escaped && close?.text === ')';
  }

  #import(): void {
    for (;;) {
      const module = this.#dotted();
      if (!Object.hasOwn(MODULES, module)) this.#risk = 'caution';
      if (this.#peek() === 'as') {
        this.#modules.set(this.#peek(1), module);
        this.#at += 2;
      } else {
        const [top = ''] = module.split('.');
        this.#modules.set(top, top);
      }
      if (this.#peek() !== ',') return;
      this.#at++;
    }
  }

  #fromImport(): void {
    const module = this.#dotted();
    if (this.#peek() !== 'import' || !Object.hasOwn(MODULES, module)) throw new Unknown();
    do {
      this.#at++;
      const name = this.#peek();
      if (!this.#allows(module, name)) throw new Unknown();
      this.#at++;
      const alias = this.#peek() === 'as' ? this.#peek(1) : name;
      if (this.#peek() === 'as') this.#at += 2;
      if (Object.hasOwn(MODULES, `${module}.${name}`)) this.#modules.set(alias, `${module}.${name}`);
      else if (module === 'pathlib') this.#modules.set('pathlib', 'pathlib');
    } while (this.#peek() === ',');
  }

  #dotted(): string {
    let module = this.#peek();
    if (!/^[A-Za-z_]\w*$/.test(module)) throw new Unknown();
    this.#at++;
    while (this.#peek() === '.') {
      module += `.${this.#peek(1)}`;
      this.#at += 2;
    }
    return module;
  }

  #allows(module: string, name: string): boolean {
    const list = MODULES[module] ?? '';
    return list === '*' ? !name.startsWith('_') && name !== '*' : list.split(' ').includes(name) && name !== '';
  }

  #useModule(module: string): void {
    const name = this.#peek(1);
    if (this.#peek() !== '.') throw new Unknown();
    this.#at += 2;
    if (Object.hasOwn(MODULES, `${module}.${name}`)) this.#useModule(`${module}.${name}`);
    else if (Object.hasOwn(MODULES, module) ? !this.#allows(module, name) && name !== '__file__' : !ABOUT.has(name)) {
      throw new Unknown();
    }
  }

  /** `open` may read a file that is named by a plain text or an argument of the command. */
  #open(): void {
    const tokens = this.#tokens.slice(this.#at);
    const shown = tokens
      .slice(0, 9)
      .map(({ text }) => text)
      .join('');
    if (/^\(sys\.argv\[\d\]\)/.test(shown)) return;
    const [paren, path, next, mode, end] = tokens;
    if (paren?.text !== '(' || path?.kind !== 'text' || path.escaped) throw new Unknown();
    if (next?.text === ')') return;
    const isMode =
      next?.text === ',' && mode?.kind === 'text' && /^r[bt]?$/.test(mode.text) && /^[,)]$/.test(end?.text ?? '');
    const isEncoding = next?.text === ',' && mode?.text === 'encoding' && end?.text === '=';
    if (!isMode && !isEncoding) throw new Unknown();
  }
}
