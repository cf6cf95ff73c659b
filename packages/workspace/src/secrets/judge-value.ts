/** Texts that stand for a value: a variable, a command, a path, an address, a hash or a version. */
const REFERENCE =
  /^[$%:<]|\$\{|\$\(|\{\{|#\{|%[sdv(]|[<{][\w .-]+[>}]|\b(?:process\.env|os\.environ|getenv|import\.meta)\b|^(?:https?|file|data|arn|vault|op|ssm|urn|sha\d+|md5|ENC)[:[-]|^\.\.|^[.~]?\/|^v?\d+(?:[.:-]\d+)+|^0x[\da-f]+$/i;
const INTERPOLATED = /\$[a-z_]{3}/i;
const PLACEHOLDER =
  /(?<![a-z])(?:your|change[-_ ]?(?:me|this|it)|replace|insert|example|placeholder|dummy|sample|fake|mock|redacted|todo|fixme|lorem)|[-_]here\b|(.)\1{7}|x{4}|\*{3}|\.{3}|…|•/i;
/** Words of default passwords and of names. A value of nothing else is no secret. */
const COMMON = new Set(
  `a abc abcd access admin administrator api app application auth backend bar baz client credential credentials custom db
  default demo dev development elastic empty foo foobar frontend guest hello host id key letmein local localhost login mariadb
  minio minioadmin mongo mongodb my mysql name new null old pass passphrase password passwd passwort port postgres
  postgresql private prod production public pw pwd qwerty rabbitmq redis refresh root sa secret secrets server service staging
  string super test tester testing tests the token tokens undefined user username value very welcome world`.split(
    /\s+/,
  ),
);
/** The last words of names that say something about a secret. */
const ABOUT = new Set(
  `age alg algorithm arn aud audience bucket charset class column confirmation cookie count digest dir email encoder encoding endpoint env error
  expiration expires expiry field file form format hash hashed hasher hashers header help hint host id ids input issuer kind
  label len length level lifetime limit link manager max md message method min mode model msg name names page path pattern
  placeholder policy prefix provider ref regex region reset route rule rules salt schema scope service sha size status strength
  suffix table text timeout title ttl type types uri url usage user username uuid validator validators var version`.split(
    /\s+/,
  ),
);
const KEYWORD =
  /^(?:(?:api|access|private|auth|account|encryption|signing|shared)[-_]?key|secret|token|passw(?:or)?d|passphrase|pass|pwd|credentials?)/i;
const PARTS = /[A-Z]{2,5}(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+/g;

/** A value, and where it is: `password = "value"`. */
export interface AssignedValue {
  readonly name: string;
  readonly separator: string;
  readonly value: string;
  readonly quote: string | undefined;
  readonly before: string;
  readonly after: string;
}

/** Reports whether a text is an example and not a secret of its kind, such as a key of one repeated letter. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

export function isUrlPassword(user: string, value: string): boolean {
  return value !== user && !REFERENCE.test(value) && !isPlaceholder(value) && !isCommon(value);
}

/** Reports whether a value that is assigned to the name of a secret is one. */
export function isAssignedSecret(assigned: AssignedValue): boolean {
  const { name, value, quote } = assigned;
  if (!isNameOfSecret(name) || REFERENCE.test(value) || isPlaceholder(value) || isCommon(value)) return false;
  if (quote !== "'" && INTERPOLATED.test(value)) return false;
  if (!/[a-z]/i.test(value)) return false;
  const trust = quote === undefined ? trustOfBare(assigned) : trustOfQuoted(assigned);
  const isRandom = value.length >= 8 && !isWordy(value) && (/\d/.test(value) || value.length >= 16);
  const isName = value.split(/[^a-z\d]+/i).length > 3 && isWordy(value);
  if (trust === 'name' && /^pass|^pwd/i.test(name)) return isRandom || (/\d|[^\w.:/-]/.test(value) && !isName);
  return trust !== 'none' && isRandom;
}

/** Where a value is may show that it is one, so that a password of words and digits counts too. */
type Trust = 'name' | 'value' | 'none';

function trustOfQuoted({ name, separator, before }: AssignedValue): Trust {
  if (/^[,(]/.test(separator)) return 'value';
  if (separator.trim() !== '') return 'name';
  return /\b(?:ENV|ARG)\s+\w*$/.test(before) || /^passw(?:or)?d$/i.test(name) ? 'name' : 'none';
}

function trustOfBare({ name, separator, before, after }: AssignedValue): Trust {
  if (separator.endsWith('>')) return /<[^<>]*$/.test(before) && after.startsWith('</') ? 'name' : 'none';
  const isLine = /^\s*(?:(?:export|set|setenv|ENV|ARG|-)\s+)*[\w.-]*$/.test(before) && /^\s*(?:[#;].*)?$/.test(after);
  const isConstant = !/[a-z]/.test(name);
  const isHeader = /["'][\w-]*$/.test(before) && /^["']/.test(after);
  if (separator.trim() === '')
    return /(?:\b(?:ENV|ARG|setenv|login \S+)\s+\w*|\s--?[\w-]*)$/.test(before) ? 'name' : 'none';
  if (separator !== '=')
    return (isLine || isHeader) && /^\s*[:=]\s*$/.test(separator) ? (isConstant ? 'name' : 'value') : 'none';
  return isConstant || /[?&;][\w.-]*$/.test(before) ? 'name' : 'value';
}

/** Names of something about a secret, such as `token_id`, are none. */
function isNameOfSecret(name: string): boolean {
  const rest = name.replace(KEYWORD, '');
  const words = rest.split(/[-_.]|(?<=[a-z\d])(?=[A-Z])/);
  return !/^[a-z]/.test(rest) && !ABOUT.has((words.at(-1) ?? '').toLowerCase().replace(/\d+$/, ''));
}

/** Such as `password123`, or `P@ssw0rd!`. */
function isCommon(value: string): boolean {
  const plain = value.replace(/[\d\W_]*$/, '');
  if (/^p[a@][s$]{2}w[o0]rd$/i.test(plain)) return true;
  return (value.match(PARTS) ?? []).every((part) => /^\d+$/.test(part) || COMMON.has(part.toLowerCase()));
}

/** Words with few digits, such as the name of an algorithm. */
function isWordy(value: string): boolean {
  const parts = value.match(PARTS) ?? [];
  const numbers = parts.filter((part) => /^\d+$/.test(part));
  const isWord = (part: string) => /^[A-Z]{2,5}$/.test(part) || (part.length > 2 && /[aeiouy]/i.test(part));
  const length = (some: readonly string[]) => some.join('').length;
  const words = parts.filter(
    (part) => !numbers.includes(part) && (isWord(part) || /^(?:http|html|md|pbkdf)$/i.test(part)),
  );
  return numbers.length <= 2 && length(numbers) <= 4 && length(words) >= 0.8 * (length(parts) - length(numbers));
}
