import type { Risk } from '@jinn/core';
import { sendsEnvironment, tellsEnvironment } from './classifiers/exposing.ts';
import { type Listing, listingAfter } from './classifiers/listed-files.ts';
import {
  classifyNamed,
  classifyOpened,
  classifyPaths,
  classifyWritten,
  isSecretPath,
  showsInput,
} from './classifiers/named-paths.ts';
import { listedBy } from './classifiers/running.ts';
import { type Call, type Context, NO_INPUT, reportUnseen, type StandardInput } from './context.ts';
import {
  type CommandFinding,
  FindingCollector,
  NamedSecrets,
  pipedFrom,
  programsIn,
  SETTINGS,
  substitutedIn,
  type TextSpan,
  withValues,
  wordsOf,
} from './judging/command-findings.ts';
import { classifyProgram, identifyProgram, isDangerousName, mayHide, namesDanger, tarDashed } from './program.ts';
import { DISCARDED } from './rules/paths.ts';
import {
  type BashCommand,
  type Compound,
  fieldsOf,
  firstWord,
  HOLE,
  hasHole,
  type Item,
  isKnownVariable,
  type Redirect,
  type Script,
  type Simple,
  textOf,
  type Word,
} from './syntax/fields.ts';
import { type ParsedCommand, parse } from './syntax/parse-bash.ts';
import type { Limits } from './syntax/word-builder.ts';
import { FINDS_OTHERS, ORDINARY, readKnown, type VariableRule, variableRules } from './tables.ts';

const MAX_WRAPPED = 24;
const MAX_DIRECTORY = 200;
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=([\s\S]*)$/;
/** The program of a process: of this one, which is bash, or of its parent. */
const OWN_PROGRAM = /^\/proc\/[^/]+\/exe$/;
const RUNS_IN_SUBSCRIPT = /\[[^[\]]*(?:\$\(|`)/;
/** Commands that compute with their words, or take them for names of variables. */
const EVALUATES = /^(test|\[|printf|read|unset|let|declare|typeset|local|export|readonly|mapfile|readarray|wait)$/;
/** Commands that make variables of their words. */
const TAKES_VARIABLES = /^(export|env|declare|typeset|local|readonly|eval|source|\.|set)$/;
const PRINTS = /(?<![\w./-])(echo|printf|tee|cat|set|declare|env|printenv)(?![\w.=-])/;
/** Commands of a loop that make variables of the lines that it reads, and show none. */
const ONLY_TAKES = /^(read|export|local|readonly|unset|continue|break|test|\[|:|true|false|)$/;
/** Commands that make variables of a file. */
const LOADS = /^(source|\.|read|mapfile|readarray)$/;
/** The body of a function. */
interface Body extends TextSpan {
  /** True if it has a pipeline or starts something in the background. */
  readonly multiplies: boolean;
  readonly scripts: readonly Script[];
}

/** Walks the tree of a command and keeps the worst finding. */
export class CommandClassifier implements Context {
  readonly #text: string;
  readonly #limits: Limits;
  readonly #functions = new Map<string, Body>();
  readonly #trusted = new Map<string, boolean>();
  readonly #found = new FindingCollector();
  /** The directory that the last `cd` named. Empty for the one where the command starts. */
  #directory = '';
  /** The secret files that any variable may name in a loop, and those that are given to a variable. */
  #carried: readonly string[] = [];
  readonly #named = new NamedSecrets();
  /** True after a command that makes variables of a secret file. */
  #isLoaded = false;
  isCaptured = false;
  #wrapped = 0;
  /** True in a text that cannot be parsed, where each command is judged by itself. */
  #shallow = false;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  get finding(): CommandFinding {
    return this.#found.finding;
  }

  get reports(): number {
    return this.#found.reports;
  }

  unseen(reason: string): void {
    this.#found.unseen(reason);
  }

  reads(path: string): void {
    this.#found.reads(path, this.#directory);
  }

  changes(path: string): void {
    this.#found.changes(path, this.#directory);
  }

  readonly trusts = (name: string): boolean => {
    let trusted = this.#trusted.get(name);
    if (trusted === undefined) {
      trusted = isKnownVariable(name, this.#text);
      this.#trusted.set(name, trusted);
    }
    return trusted;
  };

  get inProject(): boolean {
    return !/^[/~$\ue100\ue101]|(^|\/)\.\.(\/|$)/.test(this.#directory);
  }

  report(risk: Risk, reason: string, options?: { readonly replacesEqual?: boolean }): void {
    this.#found.report(risk, reason, options);
  }

  /** Judges a text that bash runs. A text that bash would reject is never safe. The commands found in it count. */
  text({ text, script, commands, error, brokenText }: ParsedCommand, input = NO_INPUT): void {
    if (brokenText) {
      this.#classifyEach(commands);
      this.#found.span = undefined;
      reportUnseen(this, namesDanger(text) ? 'dangerous' : 'caution', 'has a part that cannot be parsed');
    }
    if (script) {
      this.script(script, input);
      return;
    }
    this.#classifyEach(commands);
    this.#found.span = undefined;
    const message = error?.kind === 'limit' ? `is ${error.message}` : `cannot be parsed: ${error?.message}`;
    const looksBad = error?.kind === 'limit' || mayHide(text);
    reportUnseen(this, looksBad ? 'dangerous' : 'caution', message);
  }

  #classifyEach(commands: readonly BashCommand[]): void {
    this.#shallow = true;
    for (const command of commands) if (command.kind === 'simple') this.#simple(command, NO_INPUT);
    this.#shallow = false;
  }

  script(script: Script, input: StandardInput): void {
    for (const item of script.items) this.#item(item, input);
  }

  #item({ pipeline }: Item, input: StandardInput): void {
    let previous: BashCommand | undefined;
    let listing: Listing | undefined;
    for (const command of pipeline.commands) {
      if (command.kind === 'loop' || /^g?xargs$/.test(firstWord(command))) this.#mentionListed(previous);
      const { input: own, printed } = previous ? pipedFrom(previous, this.trusts) : { input, printed: [] };
      if (!isReader(command)) for (const path of printed) this.mention(path);
      this.#command(command, { ...own, listed: listing?.secrets });
      listing = this.#listingAfter(listing, command);
      previous = command;
    }
    if (sendsEnvironment(pipeline.commands)) {
      this.report('dangerous', 'sends the variables of the environment to another machine');
    }
  }

  readonly #listingAfter = (before: Listing | undefined, command: BashCommand): Listing =>
    listingAfter(command.kind === 'simple' ? wordsOf(command, this.trusts) : [], before);

  #command(command: BashCommand, input: StandardInput): void {
    if (command.kind === 'simple') this.#simple(command, input);
    else this.#compound(command, input);
  }

  #compound(command: Compound, input: StandardInput): void {
    const { name } = command;
    if (command.kind === 'function' && name !== undefined) {
      const { source, start, end, scripts } = command;
      const multiplies = /\|(?!\|)|(?<![&>])&(?![&>\d])/.test(source.slice(start, end));
      this.#functions.set(name, { source, start, end, scripts, multiplies });
    }
    this.#found.span = command;
    if (command.kind === 'test' || command.kind === 'arithmetic') this.report('safe', 'compares and computes');
    this.#classifyWords(command.words);
    this.#found.span = command;
    if (command.kind === 'loop' || command.kind === 'coproc') this.#classifyLoop(command);
    if (command.words.some(command.kind === 'test' ? this.#runsInSubscript : runsInSubscript)) this.#reportSubscript();
    const takesInput = command.kind === 'loop' && programsIn(command.scripts).every((verb) => ONLY_TAKES.test(verb));
    const own = this.#redirects(command.redirects, input, takesInput ? 'read' : '');
    const carried = this.#carried;
    if (command.kind === 'loop') this.#carried = [...(input.listed ?? []), ...command.words.flatMap(this.#secretsIn)];
    for (const script of command.scripts) this.script(script, own);
    this.#carried = carried;
  }

  #simple(command: Simple, input: StandardInput): void {
    this.#limits.spend(command.words.length + 1);
    const argv = wordsOf(command, this.trusts);
    const [program = ''] = argv;
    const isCaptured = this.isCaptured;
    this.isCaptured ||= command.words.length > 0 || !PRINTS.test(this.#text);
    this.#classifyWords(command.assignments);
    this.isCaptured = isCaptured || TAKES_VARIABLES.test(program);
    this.#classifyWords(command.words);
    this.isCaptured = isCaptured;
    this.#found.span = command;
    if (this.#named.isFull) this.report('dangerous', 'has too many variables that name secret files');
    const own = this.#redirects(command.redirects, input, program);
    this.#found.span = command;
    for (const word of command.assignments) this.#assignment(word, command.words.length > 0);
    if (EVALUATES.test(program) && command.words.some(this.#runsInSubscript)) this.#reportSubscript();
    const given = substitutedIn(command, argv, this.trusts);
    if (given === SETTINGS) reportUnseen(this, 'caution', 'runs the settings that a program prints');
    else if (given !== undefined) this.runText(given);
    else if (argv.length > 0) {
      const outer = { ...own, verb: '', name: '', args: [], input: own.text };
      this.run(argv, outer);
      for (const secret of command.words.flatMap(this.#secretsIn)) this.run([...argv, secret], outer);
      for (const secret of this.#carried) {
        if (command.words.some(isVariable)) this.run([...argv, secret], outer);
      }
      this.#runNamed(command, outer);
    }
    this.#classifyLoaded(command, argv);
  }

  /** Judges a command with the secret files in it that its variables are known to name. */
  #runNamed(command: Simple, outer: Call): void {
    const secrets = new Set(command.words.flatMap(({ pieces }) => pieces).flatMap((piece) => this.#named.of(piece)));
    for (const secret of secrets) {
      const words = withValues(command.words, (piece) => (this.#named.of(piece).includes(secret) ? secret : undefined));
      this.run(wordsOf({ ...command, words }, this.trusts), outer);
    }
  }

  /** Judges what shows the variables that a secret file has set. */
  #classifyLoaded(command: Simple, [program = '', ...args]: readonly string[]): void {
    if ((LOADS.test(program) || this.isCaptured) && args.some(isSecretPath)) this.#isLoaded = true;
    const isTold =
      tellsEnvironment(command) || (/^(echo|printf)$/.test(program) && command.words.some(mayShowVariable));
    if (this.#isLoaded && isTold && !this.isCaptured) this.report('dangerous', 'shows what a secret file has set');
  }

  /** Returns the secret files that a word lists which is nothing but a substitution. */
  readonly #secretsIn = ({ pieces, scripts: [script] }: Word): readonly string[] => {
    const commands = pieces.some(({ text }) => text) ? [] : (script?.items.at(-1)?.pipeline.commands ?? []);
    return commands.reduce<Listing | undefined>(this.#listingAfter, undefined)?.secrets ?? [];
  };

  readonly #runsInSubscript = (word: Word) => RUNS_IN_SUBSCRIPT.test(textOf(word, this.trusts));

  #reportSubscript(): void {
    this.report('dangerous', 'runs the command in an array subscript');
  }

  #classifyWords(words: readonly Word[]): void {
    for (const word of words) {
      this.#limits.spend(1);
      for (const effect of word.effects) {
        if (effect.kind === 'runs') reportUnseen(this, 'dangerous', `runs ${effect.what}`);
        else this.set(effect.name, effect.value ?? HOLE);
      }
      if (word.scripts.length > 0) this.unseen('holds what a substitution prints');
      if (this.#shallow) continue;
      for (const script of word.scripts) {
        this.script(script, NO_INPUT);
        this.#mentionListed(script.items.at(-1)?.pipeline.commands.at(-1));
      }
    }
  }

  /** Judges the paths that a command lists for later ones, which may read them. */
  #mentionListed(command: BashCommand | undefined): void {
    if (command?.kind !== 'simple') return;
    const [verb = '', ...args] = wordsOf(command, this.trusts);
    for (const path of listedBy(verb, args)) this.mention(path);
  }

  /** Judges the variable that a loop or a coprocess sets, and the files that a loop goes through. */
  #classifyLoop({ name, words }: Compound): void {
    if (name !== undefined) this.set(name, HOLE);
    for (const word of words.slice(1)) {
      for (const path of fieldsOf(word, this.trusts)) {
        this.mention(path);
        this.#named.add(name, path);
      }
      this.#named.handOn(name, word);
    }
  }

  #assignment(word: Word, isPrefix: boolean): void {
    const [, name, value] = ASSIGNMENT.exec(textOf(word, this.trusts)) ?? [];
    if (name === undefined || value === undefined) return;
    if (isPrefix) {
      this.assign(name, value);
      return;
    }
    this.report('safe', 'sets a variable of the shell');
    this.set(name, value);
    this.#named.handOn(name, word);
  }

  assign(name: string, value: string): void {
    const rule = this.#variableRule(name, value);
    if (rule) this.report(rule.risk, `sets ${name}, which ${rule.reason}`);
    else this.report('caution', `sets ${name}, which the command may heed`);
  }

  mention(path: string): void {
    classifyNamed(path, this, this.#directory);
  }

  set(name: string, value: string): void {
    const rule = this.#variableRule(name, value);
    if (rule) this.report(rule.risk, `sets ${name}, which ${rule.reason}`);
    if (rule?.reason !== FINDS_OTHERS) this.mention(value);
  }

  /** Returns the rule that a variable and its value fall under, if the rules know the variable. */
  #variableRule(name: string, value: string): Pick<VariableRule, 'risk' | 'reason'> | undefined {
    for (const path of value.split(/[\s():]+/)) this.#named.add(name, path);
    if (RUNS_IN_SUBSCRIPT.test(value)) this.report('dangerous', 'holds a command that arithmetic would run');
    const rule = variableRules().find((candidate) => candidate.name.test(name));
    const isHarmless = rule?.harmless?.test(value) ?? (rule?.harmful !== undefined && !rule.harmful.test(value));
    if (rule && isHarmless) return { risk: rule.otherwise ?? 'safe', reason: ORDINARY };
    // A value that is neither known to be harmless nor known to do harm.
    if (rule?.harmful?.test(value) === false) return { risk: 'caution', reason: rule.reason };
    if (rule?.risk === 'dangerous') this.unseen(`sets ${name}, which ${rule.reason}`);
    return rule;
  }

  run(argv: readonly string[], outer: Call): void {
    const [first = '', ...args] = argv;
    const verb = first === '$SHELL' || OWN_PROGRAM.test(first) ? 'sh' : first;
    const { fed, input, source, isPiped, isTyped, listed } = outer;
    this.#limits.spend(argv.length);
    if (!this.#isVerbKnown(verb)) return;
    const { name, known } = identifyProgram(verb);
    this.#classifyRecursion(verb);
    if (this.#functions.has(verb) && !known) {
      this.report('safe', 'calls a function');
      this.#call(verb, args);
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.report('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const call: Call = { verb, name, args, fed, input, source, isPiped, isTyped, listed };
      const before = this.#directory;
      const directory = readKnown(tarDashed(call))?.directory;
      if (directory !== undefined) this.#changeDirectory([directory]);
      classifyProgram(call, this);
      classifyPaths(tarDashed(call), this, this.#directory);
      this.#directory = before;
      if (name === 'cd' || name === 'pushd') this.#changeDirectory(args);
    }
    this.#wrapped--;
  }

  /** Judges the body of a function again if secret files are among its arguments. */
  #call(verb: string, args: readonly string[]): void {
    const secrets = args.filter(isSecretPath);
    const body = this.#functions.get(verb);
    if (secrets.length === 0 || !body || ++this.#wrapped > MAX_WRAPPED) return;
    for (const secret of secrets) this.#named.add('1', secret);
    this.#functions.delete(verb);
    for (const script of body.scripts) this.script(script, NO_INPUT);
    this.#functions.set(verb, body);
    this.#wrapped--;
  }

  runIfDangerous(verb: string): void {
    if (isDangerousName(verb)) this.report('dangerous', `may run ${identifyProgram(verb).name}`);
  }

  runText(code: string): void {
    this.report('caution', 'runs code that is given on the command line');
    if (hasHole(code)) {
      reportUnseen(this, 'dangerous', 'runs unknown code');
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.report('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const span = this.#found.span;
      this.#limits.deeper(() => this.text(parse(code, this.#limits)));
      this.#found.span = span;
    }
    this.#wrapped--;
  }

  /** Refuses a command whose name has a hole. A quoted path may have one if its last part is known. */
  #isVerbKnown(verb: string): boolean {
    if (!hasHole(verb) && !/^\$\w+$/.test(verb)) return true;
    const base = verb.slice(verb.lastIndexOf('/') + 1);
    if (!verb.includes(HOLE) && verb.includes('/') && base !== '' && !hasHole(base)) {
      reportUnseen(this, 'caution', 'runs a program from an unknown directory');
      return true;
    }
    reportUnseen(this, 'dangerous', 'runs a command with an unknown name');
    return false;
  }

  /** Judges a function that calls itself in a pipeline or in the background, since that fills the machine. */
  #classifyRecursion(verb: string): void {
    const body = this.#functions.get(verb);
    const span = this.#found.span;
    if (!body?.multiplies || span?.source !== body.source) return;
    if (body.start < span.start && span.end <= body.end) this.report('dangerous', 'calls itself without end');
  }

  #changeDirectory(args: readonly string[]): void {
    const directory = args.find((arg) => !arg.startsWith('-')) ?? '~';
    const isAbsolute = /^[/~$\ue100\ue101]/.test(directory);
    this.#directory = isAbsolute || this.#directory === '' ? directory : `${this.#directory}/${directory}`;
    if (this.#directory.length > MAX_DIRECTORY) this.#directory = HOLE;
  }

  /** Judges the redirections of a program, which is empty for none, and returns the standard input after them. */
  #redirects(redirects: readonly Redirect[], input: StandardInput, program: string | undefined): StandardInput {
    let own = input;
    for (const redirect of redirects) {
      this.#classifyWords([redirect.target]);
      if (redirect.variable !== undefined) this.set(redirect.variable, HOLE);
      const [file = ''] = fieldsOf(redirect.target, this.trusts);
      const target = redirect.operator.startsWith('<<') ? textOf(redirect.target, this.trusts) : file;
      if (redirect.operator.startsWith('<')) own = this.#input(redirect.operator, target, { before: own, program });
      if (redirect.operator.includes('>')) this.#output(redirect.operator, target);
    }
    return own;
  }

  #input(
    operator: string,
    target: string,
    { before, program }: { before: StandardInput; program: string | undefined },
  ): StandardInput {
    if (operator === '<<<') this.mention(target);
    if (operator.startsWith('<<')) return { fed: true, text: hasHole(target) ? undefined : target };
    if (operator === '<&') return before;
    if (target === '/dev/null') return NO_INPUT;
    this.reads(target);
    // `$(< file)` prints the file.
    const isShown = program === '' || (program !== undefined && showsInput(identifyProgram(program).name));
    if (!isShown && isSecretPath(target)) this.#isLoaded = true;
    classifyOpened(target, isShown, this, this.#directory);
    return { fed: true, text: undefined, source: hasHole(target) ? undefined : target };
  }

  #output(operator: string, target: string): void {
    if (operator === '>&' && /^(\d+-?|-)$/.test(target)) return;
    if (DISCARDED.test(target)) return;
    this.report('caution', 'writes a file');
    this.changes(target);
    classifyWritten(target, this, this.#directory);
  }

  /** Judges a file that a program reads or writes, as its own code tells. */
  file(path: string, _call: Call, { written }: { written: boolean }): void {
    if (written) classifyWritten(path, this, this.#directory);
    else classifyOpened(path, true, this, this.#directory);
  }
}

function isReader(command: BashCommand): boolean {
  return /^(cat|grep|head|tail|wc|sed|awk|tr|cut|sort|tee|jq)$/.test(firstWord(command));
}

function isVariable({ pieces }: Word): boolean {
  return pieces.some(({ text, name }) => text === undefined && name !== undefined);
}

function mayShowVariable({ pieces, scripts }: Word): boolean {
  return pieces.some(({ text, name }) => text === undefined && (name !== undefined || scripts.length === 0));
}

function runsInSubscript(word: Word): boolean {
  return word.pieces.some(({ text, quoted }) => quoted && text !== undefined && RUNS_IN_SUBSCRIPT.test(text));
}
