import { Cursor, type Harmless, type Names, names, Unknown } from './tokens.ts';

/** The parts of a language that harmless code may use. */
interface Language {
  readonly words: Names;
  readonly comment: RegExp;
  readonly variable: RegExp;
  readonly signs: RegExp;
  /** True if a slash may open a regular expression. */
  readonly hasRegex: boolean;
  /** Throws if a text in double quotes holds code; returns the code that is to be read too. */
  readonly interpolated: (text: string) => readonly string[];
  /** Moves past quotes that begin with a word, such as `s/a/b/`; returns false if there are none here. */
  readonly quoteLike?: (cursor: Cursor) => boolean;
}

const PERL: Language = {
  words: names(
    'print printf say if unless else elsif while until for foreach my our last next redo return length substr index rindex uc lc ucfirst lcfirst join split sort reverse keys values each scalar push pop shift unshift splice sprintf abs int sqrt sin cos exp log rand srand time localtime gmtime map grep defined chomp chop ord chr hex oct exists delete wantarray x eq ne lt gt le ge cmp and or not xor BEGIN END STDIN STDOUT STDERR use strict warnings utf8 POSIX floor ceil fmod strftime sum sum0 max min first uniq shuffle List Util Time HiRes Data Dumper version bigint feature qw pos lc eof undef no',
  ),
  comment: /#[^\n]*/y,
  variable: /\$#?\w+|\$[&.,;/\\0!$"]|\$\^[A-Z]|@\w+|%(?:ENV|INC|seen|count|[hHcC])\b(?!\s*[\d$(])/y,
  signs: /=~|!~|<=>|\*\*|\+\+|--|&&|\|\||\/\/|\.\.|=>|[-+*/.<>=!]=|<STDIN>|<>|::|[-+*/%<>()[\]{},:.;=!?]/y,
  hasRegex: true,
  interpolated(text) {
    const plain = text.replace(/\\[\s\S]/g, '').replace(/[$@]#?\w+(?:\[-?[$\w]+\]|\{\w+\})?/g, '');
    if (/[$@][\w{[(]|->/.test(plain) || /[$@]\w+(?:\[|\{)/.test(plain)) throw new Unknown();
    return [];
  },
  quoteLike: passPerlQuotes,
};

const RUBY: Language = {
  words: names(
    'puts print p pp printf if unless else elsif end while until for in do case when then and or not nil true false self return next break yield lambda proc begin rescue ensure def JSON parse generate pretty_generate RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE RUBY_PATCHLEVEL ENV ARGV ARGF STDIN STDOUT STDERR gets Time now Date today Math sqrt PI File exist file directory basename extname dirname join size Dir pwd getwd Integer Float String Array Hash Regexp Range Struct to_s to_i to_f to_a to_h to_sym inspect length count sum min max map each each_with_index select reject reduce inject sort sort_by reverse uniq flatten compact first last take drop zip times upto downto step split strip chomp chop sub gsub tr upcase downcase capitalize swapcase include start_with end_with index keys values key value fetch dig merge group_by partition tally chars bytes lines each_line each_char center ljust rjust format sprintf round floor ceil abs even odd zero empty any all none find detect rand srand freeze dup class is_a nil chr ord hex oct succ pred scan match strftime year month day hour minute second iso8601 to_date Digest SHA256 MD5 hexdigest SecureRandom uuid alphanumeric read stdin unpack pack Gem version platform VERSION push pop shift unshift concat cycle each_slice each_cons flat_map filter_map min_by max_by with_index with_object each_with_object transform_values transform_keys entries divmod gcd lcm digits pow',
  ),
  comment: /#(?!\{)[^\n]*/y,
  variable: /\$[_.,;/0-9]|:(?=[A-Za-z_])|@\w+/y,
  signs:
    /<=>|=~|!~|===?|!=|<=|>=|\*\*|&&|\|\||<<|>>|\.\.\.?|&\.|&:|->|=>|::|[-+*/|]=|%(?=[\s\d])|\?(?!["'`#\\/])|[-+*/<>()[\]{},:.;=!|&]/y,
  hasRegex: true,
  interpolated(text) {
    const pieces = text.match(/#\{[^{}"']*\}/g) ?? [];
    if (text.replace(/#\{[^{}"']*\}/g, '').includes('#{')) throw new Unknown();
    return pieces.map((piece) => piece.slice(2, -1));
  },
};

const PHP: Language = {
  words: names(
    'echo print print_r var_dump var_export if else elseif for foreach as while do switch case break continue true false null and or PHP_VERSION PHP_OS PHP_EOL PHP_INT_MAX PHP_INT_SIZE PHP_BINARY PHP_OS_FAMILY M_PI phpversion php_uname php_sapi_name json_encode json_decode JSON_PRETTY_PRINT date time microtime strtotime mktime date_default_timezone_get strlen strtoupper strtolower ucfirst trim explode implode str_replace substr strpos str_repeat sprintf printf number_format count array_sum array_keys array_values array_merge sort in_array range max min abs round floor ceil sqrt pow pi rand mt_rand random_int md5 sha1 hash crc32 base64_encode base64_decode bin2hex random_bytes uniqid urlencode urldecode is_array is_string gettype intdiv memory_get_usage extension_loaded get_loaded_extensions ini_get sys_get_temp_dir getcwd function_exists class_exists',
  ),
  comment: /#[^\n]*|\/\/[^\n]*/y,
  variable: /\$\w+\b(?!\s*\()/y,
  signs: /===?|!==?|<=>|<=|>=|&&|\|\||\*\*|\+\+|--|=>|\?\?|[-+*/.%]=|[-+*/%<>()[\]{},:.;=!?]/y,
  hasRegex: false,
  interpolated(text) {
    if (/\{\$|\$\{|->/.test(text)) throw new Unknown();
    return [];
  },
};

const LUA: Language = {
  words: names(
    'print if then else elseif end for in do while repeat until local return and or not nil true false _VERSION tostring tonumber pairs ipairs type select next math floor ceil sqrt pi abs max min huge random string format rep upper lower len sub reverse byte char gsub find match gmatch table concat insert sort unpack time date clock jit version',
  ),
  comment: /--(?!\[)[^\n]*/y,
  variable: /#/y,
  signs: /==|~=|<=|>=|\.\.|[-+*/%^<>()[\]{},:.;=]/y,
  hasRegex: false,
  interpolated: () => [],
};

const LANGUAGES: Readonly<Record<string, Language>> = { perl: PERL, ruby: RUBY, php: PHP, lua: LUA };

/** Reads a one-liner of Perl, Ruby, PHP or Lua, word by word; undefined if it may do more than compute and print. */
export function readScript(name: string, code: string): Harmless | undefined {
  const language = LANGUAGES[name];
  if (!language) return undefined;
  try {
    if (OPAQUE[name]?.test(code)) return undefined;
    return { risk: 'safe', reads: read(language, name === 'ruby' ? code.replace(RUBY_LIBRARY, '') : code) };
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

/** Libraries of Ruby that only compute. */
const RUBY_LIBRARY = /\brequire\s*(["'])(?:json|date|time|set|digest|securerandom|bigdecimal|pp)\1/g;
/** Texts that have no end on their line, or code that is not code: quotes in them would hide what follows. */
const OPAQUE: Readonly<Record<string, RegExp>> = { php: /\?>|<<</, lua: /\[=*\[/ };

/** Returns the texts in the code that look like paths; throws at what is not known. */
function read(language: Language, code: string): string[] {
  const cursor = new Cursor(code);
  const reads: string[] = [];
  const bound = boundIn(language, code);
  let before = '';
  while (cursor.char !== '') {
    const start = cursor.pos;
    if (cursor.take(/\s+/y) !== undefined || cursor.take(language.comment) !== undefined) continue;
    // In PHP, a text in front of a parenthesis is the name of a function.
    if (cursor.char === '(' && /["')\]}]$/.test(before)) throw new Unknown();
    if (cursor.char === '"' || cursor.char === "'") reads.push(...passText(language, cursor));
    else if (language.quoteLike?.(cursor) || passRegex(language, cursor, before)) before = '"';
    else if (cursor.take(language.variable) === undefined) passWord(language, cursor, bound);
    before = code.slice(start, cursor.pos);
  }
  return reads;
}

function passText(language: Language, cursor: Cursor): string[] {
  const quote = cursor.char;
  cursor.pos++;
  const { text } = cursor.quoted(quote);
  const inner = quote === '"' ? language.interpolated(text).flatMap((code) => read(language, code)) : [];
  return /[/~]/.test(text) ? [...inner, text] : inner;
}

const BEFORE_REGEX = /^(if|unless|and|or|not|split|grep|when|while|until|print|puts)$/;

/** Moves past a regular expression. Where a slash may divide instead, no quote may follow that could hide code. */
function passRegex({ hasRegex }: Language, cursor: Cursor, before: string): boolean {
  if (!hasRegex || cursor.char !== '/') return false;
  const divides = /^[$@\d]/.test(before);
  if (divides || /[)\]}"]$/.test(before) || (/\w$/.test(before) && !BEFORE_REGEX.test(before))) {
    if (!divides && /['"`/]/.test(cursor.code.slice(cursor.pos + 1))) throw new Unknown();
    return false;
  }
  const regex = cursor.take(/\/(?:[^\\/\n#@`]|\\.)*\/[gimsxo]*/y);
  if (regex === undefined || /\(\?\??\{|\$[\w{]+[[{(]/.test(regex)) throw new Unknown();
  return true;
}

function passWord({ words, signs }: Language, cursor: Cursor, bound: ReadonlySet<string>): void {
  const token = cursor.number() ?? cursor.name();
  if (token?.kind === 'number') return;
  if (token) {
    if (!words.has(token.text) && !bound.has(token.text)) throw new Unknown();
  } else if (cursor.take(signs) === undefined) throw new Unknown();
}

/** Names of variables without a sign of their own: short ones, which no function of these languages has. */
function boundIn(language: Language, code: string): ReadonlySet<string> {
  if (language !== RUBY && language !== LUA) return new Set(language === PERL ? ['a', 'b'] : []);
  const short = [...code.matchAll(/\b([a-z]{1,2})\b/g)].map(([, name = '']) => name);
  return new Set(short.filter((name) => name !== 'os' && name !== 'io'));
}

/** Moves past `s/a/b/g`, `tr/a/b/`, `m/a/`, `q(…)`; throws where code may hide in them. */
function passPerlQuotes(cursor: Cursor): boolean {
  const operator = cursor.take(/(?:s|y|tr|m|qr|qq|q|qw)(?=[/|,!#([{])(?!\s*=>|,\s)/y);
  if (operator === undefined) return false;
  const open = cursor.char;
  const parts = /^(s|y|tr)$/.test(operator) ? 2 : 1;
  if ('([{'.includes(open) && parts === 2) throw new Unknown();
  const close = { '(': ')', '[': ']', '{': '}' }[open] ?? open;
  cursor.pos++;
  const texts = Array.from({ length: parts }, () => cursor.quoted(close).text);
  const flags = cursor.take(/[a-z]*/y) ?? '';
  const isPlain = operator === 'q' || operator === 'qw' || operator === 'y' || operator === 'tr';
  if ((operator === 's' || operator === 'm' || operator === 'qr') && flags.includes('e')) throw new Unknown();
  for (const text of texts) {
    if ('([{'.includes(open) && text.includes(open)) throw new Unknown();
    if (!isPlain && /\(\?\??\{|[@$]\{|@\w|\$\w+(?:\[|\{(?!\w+\}))|->|`/.test(text.replace(/\\[\s\S]/g, '')))
      throw new Unknown();
  }
  return true;
}
