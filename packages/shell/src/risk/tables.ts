import type { Risk } from '@jinn/core';
import { Arguments, holdsWord, possibleValuesOf, remembered, wordsIn } from './arguments.ts';
import type { Call, Context } from './context.ts';
import TABLE from './rules/known-calls.table';
import RISKS from './rules/risks.table';
import VARIABLES from './rules/variables.table';
import { HOLE, startsUnknown } from './syntax/fields.ts';

/** A row of a table that is kept as text: `names > subcommands | !trait !trait=value words`. */
export class TableRow {
  /** The first operands, of which one must be there. Empty if the row names none. */
  readonly subs: readonly string[];
  /** The reason that is above the row. */
  readonly reason: string;
  readonly #text: string;
  readonly #lines: readonly string[];
  #read: { readonly is: ReadonlyMap<string, string>; readonly words: readonly string[] } | undefined;

  constructor(line: string, reason: string, lines: readonly string[]) {
    const bar = line.indexOf(' |');
    const [, subs] = line.slice(0, bar).split(' >');
    this.subs = subs?.split(',').map((sub) => sub.trim()) ?? [];
    this.reason = reason;
    this.#text = line.slice(bar + 2);
    this.#lines = lines;
  }

  /** The traits, each with its value, which may be empty. */
  get is(): ReadonlyMap<string, string> {
    return this.#parts.is;
  }

  get words(): readonly string[] {
    return this.#parts.words;
  }

  /** The row is read when it is needed: a program may have many, and a command needs one. */
  get #parts() {
    if (this.#read) return this.#read;
    const words = expand(this.#text, this.#lines);
    const traits = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1).split(/=(.*)/s));
    this.#read = {
      is: new Map(traits.map(([trait = '', value = '']) => [trait, value])),
      words: words.filter((word) => !word.startsWith('!')),
    };
    return this.#read;
  }
}

/**
 * Returns the rows with a name. A line `= why` gives the reason of the rows below it. `@name` the words of the row
 * `@name`.
 */
export function readTable(text: string): (name: string) => readonly TableRow[] {
  let lines: readonly string[] | undefined;
  return remembered((name) => {
    lines ??= text.split('\n');
    return findRows(lines, name);
  });
}

function findRows(lines: readonly string[], name: string): TableRow[] {
  const rows: TableRow[] = [];
  let reason = '';
  for (const line of lines) {
    if (line.startsWith('= ')) reason = line.slice(2);
    else if (line.includes(name) && !line.startsWith('#')) {
      const [bar, subs] = [line.indexOf(' |'), line.indexOf(' > ')];
      const names = line.slice(0, subs === -1 ? bar : Math.min(bar, subs));
      if (holdsWord(names, name)) rows.push(new TableRow(line, reason, lines));
    }
  }
  return rows;
}

function expand(text: string, lines: readonly string[]): string[] {
  return wordsIn(text).flatMap((word) => {
    if (!word.startsWith('@')) return [word];
    const shared = lines.find((line) => line.startsWith(`${word} | `)) ?? '';
    return expand(shared.slice(word.length + 3), lines);
  });
}

/** What the value of an option is: data, a file that is read or written, a directory to go to, or what names a program. */
type Role = '' | 'r' | 'w' | 'd' | 'x';

interface KnownOption {
  /** The number of words that it takes, or 0 for one whose value is behind `=` or in the same word, if it has one. */
  readonly takes: number;
  readonly role: Role;
  readonly mayHaveValue: boolean;
  /** A pattern for the values that are known. Empty for any. */
  readonly values: string;
}

export interface KnownCall {
  readonly reason: string;
  /** True if other rules say what it does. */
  readonly isRisky: boolean;
  /** True if it runs what files or settings tell. */
  readonly runs: boolean;
  /** A word that is not known, or that only bash can tell. */
  readonly unknown: string | undefined;
  readonly namesProgram: boolean;
  readonly writes: readonly string[];
  /** The files that it changes or removes, as its operands name them. */
  readonly changes: readonly string[];
  /** The files that it opens because an option names them. */
  readonly opens: readonly string[];
  /** The files that it reads, by their names. */
  readonly reads: readonly string[];
  readonly directory: string | undefined;
}

const NUMBER = '-#';
const ASKS = ['--help', '--version'];
const rowsOf = readTable(TABLE);

/** Finds an option of a row, such as `--all` or `-a`. The last word that names it counts. */
function findOption(row: TableRow, name: string): KnownOption | undefined {
  const isLetter = /^-[^-]$/.test(name) && name !== NUMBER && !row.is.has('words');
  const found = row.words.findLast((word) => (isLetter ? hasLetter(word, name) : isCalled(word, name)));
  if (found === undefined) return ASKS.includes(name) ? toOption('') : undefined;
  return toOption(found.slice(signAt(found)));
}

function isCalled(word: string, name: string): boolean {
  return word.startsWith(name) && signAt(word) === name.length;
}

function hasLetter(word: string, name: string): boolean {
  if (word[1] === '-' || word === NUMBER) return false;
  const at = word.indexOf(name.charAt(1), 1);
  return at !== -1 && at < signAt(word);
}

function signAt(word: string): number {
  const [equals, mark] = [word.indexOf('=', 1), word.indexOf('?', 1)];
  if (equals === -1) return mark === -1 ? word.length : mark;
  return mark === -1 ? equals : Math.min(equals, mark);
}

function toOption(sign: string): KnownOption {
  const value = sign.slice(1);
  return {
    takes: sign.startsWith('=') ? Number(value) || 1 : 0,
    role: /^[rwdx]$/.test(value) ? (value as Role) : '',
    mayHaveValue: sign !== '',
    values: value.startsWith('(') ? value : '',
  };
}

let last:
  | { readonly name: string; readonly args: readonly string[]; readonly known: KnownCall | undefined }
  | undefined;

/** Returns what the table knows of a call, or undefined if it does not know the program, or this subcommand. */
export function readKnown({ name, args }: Call): KnownCall | undefined {
  // Several judges ask for the call at hand.
  if (last?.name === name && last.args === args) return last.known;
  const rows = rowsOf(name);
  const known = rows.length === 0 ? undefined : new CallReader(rows).read(args);
  last = { name, args, known };
  return known;
}

export function isKnownName(name: string): boolean {
  return rowsOf(name).length > 0;
}

class CallReader {
  readonly #rows: readonly TableRow[];
  #row: TableRow | undefined;
  #sub = '';
  #isSub = true;
  #unknown: string | undefined;
  readonly #operands: string[] = [];
  readonly #given: string[] = [];
  readonly #values: { readonly role: Role; readonly value: string }[] = [];

  constructor(rows: readonly TableRow[]) {
    this.#rows = rows;
    this.#row = rows.find(({ subs }) => subs.length === 0);
  }

  read(args: readonly string[]): KnownCall | undefined {
    let isEnded = this.#is('free');
    for (let i = 0; i < args.length; i++) {
      const arg = args[i] ?? '';
      if (arg === '--' && !isEnded) isEnded = true;
      else if (!isEnded && /^-./s.test(arg)) i += this.#option(args, i);
      else if (this.#operand(arg, isEnded)) break;
    }
    const row = this.#row;
    if (!row || !(row.subs.length === 0 ? this.#sub === '' : row.subs.some((each) => isLike(each, this.#sub))))
      return undefined;
    return row.is.has('sub') ? undefined : this.#known(row);
  }

  #is(trait: string): boolean {
    return this.#row?.is.has(trait) ?? false;
  }

  #find(name: string): KnownOption | undefined {
    return this.#row && findOption(this.#row, name);
  }

  /** Reads an operand. Returns true if a command starts with it. */
  #operand(arg: string, isEnded: boolean): boolean {
    const sub = this.#sub === '' ? arg : `${this.#sub} ${arg}`;
    const next = this.#isSub ? this.#subAt(sub) : undefined;
    if (next) {
      this.#sub = next.sub;
      this.#row = next.row ?? this.#row;
      return false;
    }
    this.#isSub = false;
    if (!isEnded && startsUnknown(arg) && !this.#is('any')) this.#unknown ??= arg;
    this.#operands.push(arg);
    return this.#is('stop');
  }

  /** Finds a subcommand, and its row if it is a whole one. A star in the table stands for any text. */
  #subAt(sub: string): { readonly sub: string; readonly row: TableRow | undefined } | undefined {
    const row = this.#rows.find(({ subs }) => subs.some((each) => isLike(each, sub)));
    const isStart = this.#rows.some(({ subs }) => subs.some((each) => isLike(each, sub, true)));
    return row || isStart ? { sub, row } : undefined;
  }

  /** Reads an option. Returns the number of words that it takes. */
  #option(args: readonly string[], at: number): number {
    const arg = args[at] ?? '';
    const equals = arg.indexOf('=');
    const name = equals === -1 ? arg : arg.slice(0, equals);
    this.#given.push(name);
    const whole = this.#find(name);
    if (whole && (equals === -1 || whole.mayHaveValue)) {
      return this.#take(whole, { args, at, attached: equals === -1 ? undefined : arg.slice(equals + 1) });
    }
    if (/^-\d+$/.test(arg) && this.#find(NUMBER)) return 0;
    if (arg.startsWith('--') || this.#is('words')) return this.#refuse(arg);
    return this.#cluster(args, at);
  }

  #cluster(args: readonly string[], at: number): number {
    const arg = args[at] ?? '';
    for (let i = 1; i < arg.length; i++) {
      const option = this.#find(`-${arg[i]}`);
      if (!option) return /^\d/.test(arg.slice(i)) && i > 1 && this.#find(NUMBER) ? 0 : this.#refuse(arg);
      this.#given.push(`-${arg[i]}`);
      const rest = arg.slice(i + 1);
      if (option.mayHaveValue) return this.#take(option, { args, at, attached: rest === '' ? undefined : rest });
    }
    return 0;
  }

  #take(
    { takes, role, values }: KnownOption,
    { args, at, attached }: { args: readonly string[]; at: number; attached: string | undefined },
  ): number {
    const value = attached ?? (takes > 0 ? (args[at + 1] ?? '') : '');
    if (values !== '' && !new RegExp(`^(?:${values})$`).test(value)) this.#unknown ??= args[at];
    const isTold = attached !== undefined || (!value.startsWith('--') && (value !== HOLE || this.#is('any')));
    if (!isTold) this.#unknown ??= value;
    if (role !== '') this.#values.push({ role, value });
    return attached === undefined ? takes : takes > 1 ? takes - 1 : 0;
  }

  #refuse(arg: string): number {
    this.#unknown ??= arg;
    return 0;
  }

  #known(row: TableRow): KnownCall {
    const { is, reason } = row;
    const of = (role: Role) => this.#values.filter((each) => each.role === role).map(({ value }) => value);
    const most = this.#hasOne(is.get('unless')) ? undefined : is.get('most');
    const fits = new RegExp(`^(?:${is.get('if') ?? '.*'})$`, 's');
    if (is.has('needs') && !this.#hasOne(is.get('needs'))) this.#unknown ??= is.get('needs');
    if (most !== undefined && this.#operands.length > Number(most)) this.#unknown ??= this.#operands.at(-1);
    if (!fits.test(this.#operands.join(' '))) this.#unknown ??= this.#operands[0];
    return {
      reason,
      isRisky: is.has('risky'),
      runs: is.has('runs'),
      unknown: this.#unknown,
      namesProgram: of('x').length > 0,
      writes: of('w'),
      changes: this.#changed(is),
      opens: of('r'),
      reads: [...this.#read(is), ...of('r')],
      directory: of('d').at(-1),
    };
  }

  #hasOne(options: string | undefined): boolean {
    return options?.split(',').some((option) => this.#given.includes(option)) ?? false;
  }

  #changed(is: TableRow['is']): readonly string[] {
    if (is.has('out')) return this.#operands;
    if (is.has('last')) return this.#operands.slice(-1);
    return is.has('texts') ? this.#operands.flatMap((word) => (word.startsWith('of=') ? [word.slice(3)] : [])) : [];
  }

  #read(is: TableRow['is']): readonly string[] {
    if (is.has('texts')) return this.#operands.flatMap((word) => (word.startsWith('if=') ? [word.slice(3)] : []));
    if (is.has('out') || is.has('stop')) return [];
    const hasText =
      is.has('text') &&
      !this.#given.some((option) => /^(-[ef]|--(regexp|file|from-file|source|expression))$/.test(option));
    return this.#operands.slice(hasText ? 1 : 0, is.has('last') ? -1 : undefined);
  }
}

function isLike(listed: string, given: string, isStart = false): boolean {
  const [wanted, words] = [listed.split(' '), given.split(' ')];
  if (isStart ? wanted.length <= words.length : wanted.length !== words.length) return false;
  return words.every((word, i) => {
    const [start = '', star] = (wanted[i] ?? '').split('*');
    return star === undefined ? word === start : /^[\w-]+$/.test(word) && word.startsWith(start);
  });
}

export const FIND_EXEC = new Set(['-exec', '-execdir', '-ok', '-okdir']);
export const FD_EXEC = new Set(['-x', '--exec', '-X', '--exec-batch']);

/** Returns a call without the commands that it holds, which are judged by themselves. */
export function ownWords(call: Call): Call {
  const starts = /^g?find$/.test(call.name) ? FIND_EXEC : /^fd(find)?$/.test(call.name) ? FD_EXEC : undefined;
  if (!starts) return call;
  const args: string[] = [];
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i] ?? '';
    if (!starts.has(arg)) args.push(arg);
    else while (i + 1 < call.args.length && !/^[;+]$/.test(call.args[i] ?? '')) i++;
  }
  return { ...call, args };
}

const risksOf = readTable(RISKS);
const rulesOf = remembered((name) => {
  const rows = risksOf(name).filter(({ is }) => !is.has('valued'));
  return rows.map(({ subs, is, words, reason }) => {
    const [risk, why = ''] = reason.split(/: (.*)/);
    return {
      risk: risk as Risk,
      reason: why,
      subs: subs.map(wordsIn),
      options: words,
      without: is.get('without')?.split(',') ?? [],
      value: toPattern(is.get('value')),
      argument: toPattern(is.get('argument')),
    };
  });
});
type Rule = ReturnType<typeof rulesOf>[number];

const valuedOf = remembered((name): ReadonlySet<string> => {
  return new Set(risksOf(name).flatMap(({ is, words }) => (is.has('valued') ? words : [])));
});

function toPattern(text: string | undefined): RegExp | undefined {
  const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(text ?? '') ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

export function isInTable(name: string): boolean {
  return rulesOf(name).length > 0;
}

/** Reports whether a program is dangerous regardless of its arguments. */
export function isAlwaysDangerous(name: string): boolean {
  return rulesOf(name).some(({ risk, subs, options, without, argument }) => {
    return risk === 'dangerous' && [subs, options, without].every(({ length }) => length === 0) && !argument;
  });
}

/** Separates the arguments of a call, as far as the table knows which options take a word. */
export function argumentsOf({ name, args }: Call): Arguments {
  return new Arguments(args, valuedOf(name));
}

export function classifyByTable(call: Call, context: Context): void {
  const args = argumentsOf(call);
  for (const rule of rulesOf(call.name)) if (applies(rule, call, args)) context.report(rule.risk, rule.reason);
}

function applies({ subs, options, without, value, argument }: Rule, call: Call, args: Arguments): boolean {
  if (subs.length > 0 && !subs.some((sub) => beginsWith(args.operands, sub))) return false;
  if (options.length > 0 && !options.some((option) => args.has(option))) return false;
  if (without.some((option) => args.has(option))) return false;
  if (value && !possibleValuesOf(call.args, options).some((given) => value.test(given))) return false;
  return argument === undefined || call.args.some((arg) => argument.test(arg));
}

export function beginsWith(operands: readonly string[], sub: readonly string[]): boolean {
  return sub.length <= operands.length && sub.every((word, i) => word === '*' || word === operands[i]);
}

/** Judges an environment variable by its name and value. The first row that names a variable decides. */
export interface VariableRule {
  readonly name: RegExp;
  /** Values that do no harm. */
  readonly harmless: RegExp | undefined;
  /** Values that do harm. All others are harmless, or `caution` if the rule says which are harmless. */
  readonly harmful: RegExp | undefined;
  readonly risk: Risk;
  readonly reason: string;
  /** The risk of a harmless value. Safe if absent. */
  readonly otherwise: Risk | undefined;
}

export const ORDINARY = 'has an ordinary value';
export const FINDS_OTHERS = 'changes what later commands find';

let variables: readonly VariableRule[] | undefined;

/** Returns the rules in their order. Most commands set no variable, and the expressions take a part of a millisecond to make. */
export function variableRules(): readonly VariableRule[] {
  variables ??= VARIABLES.trim().split('\n\n').slice(1).map(toVariableRule);
  return variables;
}

function toVariableRule(text: string): VariableRule {
  const members = Object.fromEntries(text.split('\n').map((line) => line.split(/ (.*)/s)));
  const { name, harmless, harmful, risk, otherwise, reason } = members;
  return {
    name: new RegExp(name),
    harmless: harmless === undefined ? undefined : new RegExp(harmless),
    harmful: harmful === undefined ? undefined : new RegExp(harmful),
    risk,
    otherwise,
    reason,
  };
}
