import { Cursor, type Harmless, names, type Token, Unknown } from './tokens.ts';

/** Names of the language and of Node that only compute and print. */
const GLOBALS = names(
  'console JSON Math Number String Boolean Array Object Date Map Set WeakMap WeakSet RegExp Symbol BigInt Intl Error TypeError RangeError SyntaxError Promise Infinity NaN undefined parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape btoa atob structuredClone URL URLSearchParams TextEncoder TextDecoder Buffer performance setTimeout setInterval clearTimeout clearInterval setImmediate Uint8Array Uint16Array Uint32Array Int8Array Int16Array Int32Array Float32Array Float64Array BigInt64Array ArrayBuffer DataView Atomics AbortController',
);
const KEYWORDS = names(
  'var let const function return if else for of in while do break continue switch case default new typeof instanceof void delete null true false try catch finally throw async await yield class extends static get set',
);
/** Names that lead to code: wherever they stand, the code is not vouched for. */
const FORBIDDEN = names(
  'constructor __proto__ prototype eval Function globalThis global module exports import Reflect Proxy WebAssembly Deno Bun fetch WebSocket EventSource XMLHttpRequest Worker arguments callee caller this super with __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ getOwnPropertyDescriptor getOwnPropertyDescriptors getPrototypeOf setPrototypeOf getOwnPropertySymbols defineProperty defineProperties mainModule binding dlopen kill _load createRequire getBuiltinModule spawn exec execSync spawnSync execFile execFileSync fork writeFileSync unlinkSync rmSync',
);
/** Modules that `node -e` offers by their names. No variable of the code may have one of them. */
const BUILT_IN = names(
  'assert async_hooks buffer child_process cluster constants dgram diagnostics_channel dns domain events http http2 https inspector net punycode readline repl stream string_decoder sys test timers tls trace_events tty v8 vm wasi worker_threads sqlite sea navigator localStorage sessionStorage',
);
/** The harmless names of each module. Code may use a module only in front of a dot. */
const MODULES: Readonly<Record<string, string>> = {
  fs: 'readFileSync existsSync statSync lstatSync readdirSync realpathSync readlinkSync constants',
  path: 'join resolve basename dirname extname relative normalize sep delimiter isAbsolute parse format posix',
  os: 'cpus totalmem freemem platform type release arch hostname homedir tmpdir uptime loadavg userInfo EOL networkInterfaces version machine availableParallelism endianness',
  util: 'inspect format types isDeep isDeepStrictEqual styleText stripVTControlCharacters',
  url: 'parse format fileURLToPath pathToFileURL URL',
  querystring: 'parse stringify escape unescape',
  crypto:
    'randomUUID randomBytes createHash createHmac randomInt getHashes getCiphers getRandomValues webcrypto subtle',
  zlib: 'gzipSync gunzipSync deflateSync inflateSync brotliCompressSync brotliDecompressSync crc32',
  perf_hooks: 'performance',
  process:
    'version versions platform arch argv env cwd uptime memoryUsage hrtime execPath title release pid ppid exit exitCode stdout stderr features config getuid getgid geteuid umask cpuUsage resourceUsage execArgv',
};

const MEMBER = /^([)\]}]|\?\.)$/;
const SIGNS =
  /=>|\?\?=?|\?\.|\*\*=?|\+\+|--|&&=?|\|\|=?|[=!]==?|<<=?|>>>?=?|[<>]=|[-+*/%&|^]=|\.\.\.|[-+*/%&|^~<>()[\]{},:.;=!?]/y;

/** Reads a one-liner of JavaScript; undefined if it may do more than compute, read files and print. */
export function readJavaScript(code: string): Harmless | undefined {
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
    if (cursor.take(/\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y) !== undefined) continue;
    tokens.push(...tokenAt(cursor, tokens.at(-1)));
  }
  return tokens;
}

function tokenAt(cursor: Cursor, before: Token | undefined): Token[] {
  const { char } = cursor;
  if (char === '"' || char === "'") {
    cursor.pos++;
    return [cursor.quoted(char)];
  }
  if (char === '`') {
    cursor.pos++;
    return templateAt(cursor);
  }
  if (char === '/' && startsRegex(before)) {
    const text = cursor.take(/\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/y);
    if (text === undefined) throw new Unknown();
    return [{ kind: 'regex', text }];
  }
  // A division, or a regular expression that would hide a quote.
  if (char === '/' && before?.text === ')' && /\/.*['"`]|['"`].*\//s.test(cursor.code.slice(cursor.pos + 1)))
    throw new Unknown();
  const token = cursor.name() ?? cursor.number();
  if (token) return [token];
  const text = cursor.take(SIGNS);
  if (text === undefined) throw new Unknown();
  return [{ kind: 'sign', text }];
}

/** True where a slash begins a regular expression. Behind a brace or a keyword it may do either: that is not vouched for. */
function startsRegex(before: Token | undefined): boolean {
  if (before === undefined || before.kind === 'line') return true;
  if (before.kind === 'name' && KEYWORDS.has(before.text)) return before.text === 'return' || before.text === 'typeof';
  if (before.kind !== 'sign') return false;
  if (before.text === '}' || before.text === '++' || before.text === '--') throw new Unknown();
  return before.text !== ')' && before.text !== ']';
}

/** Reads a template; the opening backquote is passed. What it holds in `${…}` are tokens in parentheses. */
function templateAt(cursor: Cursor): Token[] {
  const { text, escaped = false } = cursor.quoted('`');
  const pieces = text.match(/\$\{[^{}`]*\}/g) ?? [];
  if (text.replace(/\$\{[^{}`]*\}/g, '').includes('${')) throw new Unknown();
  const inner = pieces.flatMap((piece) => tokenize(`(${piece.slice(2, -1)})`));
  return [
    { kind: 'text', text, escaped: escaped || pieces.length > 0 },
    ...(inner.length > 0 ? [{ kind: 'sign', text: '+' } as const] : []),
    ...inner,
  ];
}

/** Goes through the tokens once and throws at what is not known to be harmless. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #modules = new Map<string, string>(Object.keys(MODULES).map((name) => [name, name]));
  readonly #bound: ReadonlySet<string>;
  #risk: Harmless['risk'] = 'safe';

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#bound = boundIn(tokens);
  }

  read(): Harmless {
    for (const [at, token] of this.#tokens.entries()) {
      if (token.kind === 'name') this.#name(token.text, at);
      else if (token.kind === 'sign' && token.text === '[') this.#bracket(at);
    }
    const named = this.#tokens.filter(({ kind, text }) => kind === 'text' && /[/~]|^\./.test(text));
    return { risk: this.#risk, reads: named.map(({ text }) => text) };
  }

  #text(at: number): string {
    const token = this.#tokens[at];
    return token && token.kind !== 'text' ? token.text : '';
  }

  #name(name: string, at: number): void {
    if (FORBIDDEN.has(name)) throw new Unknown();
    const before = this.#text(at - 1);
    const after = this.#text(at + 1);
    if (before === '.' || before === '?.') {
      if (name === 'readFileSync') this.#readFile(at + 1);
      return;
    }
    if (after === ':' && (before === '{' || before === ',')) return;
    if (name === 'require') this.#require(at);
    else if (this.#modules.has(name)) this.#module(this.#modules.get(name) ?? '', at);
    else if (!GLOBALS.has(name) && !KEYWORDS.has(name) && (!this.#bound.has(name) || BUILT_IN.has(name)))
      throw new Unknown();
  }

  /** A member that is named by anything but a plain text or a number may be `constructor`. */
  #bracket(at: number): void {
    const before = this.#tokens[at - 1];
    const isMember =
      before !== undefined && (MEMBER.test(before.text) || /^(name|text|regex|number)$/.test(before.kind));
    const isKeyword = this.#opensList(at - 1);
    const [, key, end] = this.#tokens.slice(at, at + 3);
    const isPlain = key?.kind === 'number' || (key?.kind === 'text' && !key.escaped && !FORBIDDEN.has(key.text));
    if (isMember && !isKeyword && !(isPlain && end?.text === ']') && !/^[\])]$/.test(key?.text ?? ''))
      throw new Unknown();
    if (!isMember || isKeyword) this.#refuseComputedKey(at);
  }

  /** True for a keyword before the bracket of a list. Most keywords may be names too, and then it is a member. */
  #opensList(at: number): boolean {
    const before = this.#text(at - 1);
    if (before === '.' || before === '?.' || this.#tokens[at]?.kind !== 'name') return false;
    const word = this.#text(at);
    if (word === 'of') return /^[\w$\]}]+$/.test(before);
    if (word === 'let') return /^[;({}]?$/.test(before);
    return /^(return|typeof|case|in|else|do|void|throw|const|var)$/.test(word);
  }

  /** `{[key]: value}` may take apart an object as `value[key]` does. */
  #refuseComputedKey(at: number): void {
    let depth = 0;
    for (let i = at; i < this.#tokens.length; i++) {
      const text = this.#text(i);
      if (text === '[') depth++;
      else if (text === ']' && --depth === 0) {
        if (this.#text(i + 1) === ':') throw new Unknown();
        return;
      }
    }
  }

  /** `fs.promises.readFile` and the like are not on the lists; a module stands in front of a dot. */
  #module(module: string, at: number): void {
    if (this.#text(at + 1) === '=' && /^(const|let|var|,)$/.test(this.#text(at - 1))) return;
    const name = this.#text(at + 2);
    const list = MODULES[module]?.split(' ') ?? [];
    if (this.#text(at + 1) !== '.' || !list.includes(name)) throw new Unknown();
  }

  #readFile(at: number): void {
    const [open, path, next] = this.#tokens.slice(at, at + 3);
    const isNamed = path?.kind === 'number' || (path?.kind === 'text' && !path.escaped);
    const isArgument =
      this.#tokens
        .slice(at + 1, at + 7)
        .map(({ text }) => text)
        .join('') === 'process.argv[1]';
    if (open?.text !== '(' || !(isNamed || isArgument) || (!isArgument && !/^[,)]$/.test(next?.text ?? '')))
      throw new Unknown();
  }

  /** `require('fs').existsSync(…)`, `const fs = require('fs')`, `require('./a.json')`. */
  #require(at: number): void {
    const [open, module, close, dot, member] = this.#tokens.slice(at + 1, at + 6);
    if (open?.text !== '(' || module?.kind !== 'text' || module.escaped || close?.text !== ')') throw new Unknown();
    const name = module.text.replace(/^node:/, '');
    if (/^[\w@./-]+\.json$/.test(name)) return;
    const known = MODULES[name]?.split(' ');
    if (dot?.text === '.') {
      if (known ? !known.includes(member?.text ?? '') : member?.text !== 'version') throw new Unknown();
      if (!known) this.#risk = 'caution';
      return;
    }
    const variable = this.#text(at - 2);
    if (!known || this.#text(at - 1) !== '=' || this.#text(at - 3) === '.') throw new Unknown();
    if (variable === '}') this.#destructure(at - 3, known);
    else this.#modules.set(variable, name);
  }

  #destructure(end: number, known: readonly string[]): void {
    for (let i = end; this.#text(i) !== '{'; i--) {
      const text = this.#text(i);
      if (text === '' || (text !== ',' && !known.includes(text)) || text === 'readFileSync') throw new Unknown();
    }
  }
}

/** Returns the names that the code declares: variables, parameters, functions. */
function boundIn(tokens: readonly Token[]): Set<string> {
  const bound = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1]?.text;
    let declared: readonly Token[] = [];
    if (token.kind === 'name' && /^(const|let|var|function|class|catch)$/.test(token.text)) {
      declared = tokens.slice(i + 1, endOfDeclared(tokens, i + 1));
    } else if (next === '=>' && token.text === ')') declared = tokens.slice(openingOf(tokens, i), i);
    else if (next === '=>' || next === '=') declared = [token];
    for (const { kind, text } of declared) if (kind === 'name') bound.add(text);
  }
  return bound;
}

/** Returns where the names of a declaration end: at its value or its body, or behind the braces of a pattern. */
function endOfDeclared(tokens: readonly Token[], start: number): number {
  const isPattern = tokens[start]?.text === '{';
  let end = start + 1;
  while (end < tokens.length && !(isPattern ? /^\}$/ : /^(=|of|in|;|\{)$/).test(tokens[end]?.text ?? '')) end++;
  return end;
}

function openingOf(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let i = close; i >= 0; i--) {
    const text = tokens[i]?.kind === 'sign' ? tokens[i]?.text : '';
    if (text === ')') depth++;
    else if (text === '(' && --depth === 0) return i;
  }
  return 0;
}
