import { sendsEnvironment } from './classifiers/exposing.ts';
import {
  classifyNamed,
  classifyOpened,
  classifyPaths,
  classifyWritten,
  showsInput,
} from './classifiers/named-paths.ts';
import { listedBy } from './classifiers/running.ts';
import { type Call, type Context, reportUnseen } from './context.ts';
import { type Finding, Findings, type Span } from './judging/command-findings.ts';
import { type Input, NO_INPUT, pipedFrom, SETTINGS, substitutedIn, wordsOf } from './judging/streams.ts';
import { classifyProgram, identify, isDangerousName, tarDashed } from './program.ts';
import type { Risk } from './rule.ts';
import { DISCARDED } from './rules/paths.ts';
import { FINDS_OTHERS, ORDINARY, VARIABLES, type VariableRule } from './rules/variables.ts';
import { fieldsOf, HOLE, hasHole, textOf } from './syntax/fields.ts';
import { parse } from './syntax/parse-bash.ts';
import type { Limits } from './syntax/parse-limits.ts';
import {
  type Command,
  type Compound,
  firstWord,
  type Item,
  type Redirect,
  type Script,
  type Simple,
  type Word,
} from './syntax/tree.ts';
import { readKnown } from './tables/known-calls.ts';

const ALWAYS = new Set(['PATH', '?', '#', '$', '!', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO']);

/** Variables that `run_shell` passes on or bash sets. All others come from the command itself. */
const PASSED_ON = new Set([
  'HOME',
  'PWD',
  'OLDPWD',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'SHELL',
  'LANG',
  'TERM',
  'TZ',
  'HOSTNAME',
]);

const IS_JOB = /^="?\$(?:!|\{!\})"?(?=[\s;&)]|$)/;

/** Syntax that may stand for any command, in a text that cannot be parsed. */
const OBSCURE = /\$['"({\w]|`|\\[\S\n]|\{[^{}\s]*,|[*?[]\S/;

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
interface Body extends Span {
  /** True if it has a pipeline or starts something in the background. */
  readonly multiplies: boolean;
}

/** Walks the tree of a command and keeps the worst finding. */
export class CommandClassifier implements Context {
  readonly #text: string;
  readonly #limits: Limits;
  readonly #functions = new Map<string, Body>();
  readonly #trusted = new Map<string, boolean>();
  readonly #found = new Findings();
  /** The directory that the last `cd` named; empty for the one where the command starts. */
  #directory = '';
  isCaptured = false;
  #wrapped = 0;
  /** True in a text that cannot be parsed, where each command is judged by itself. */
  #shallow = false;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  get finding(): Finding {
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

  readonly trusts = (name: string): boolean => {
    let trusted = this.#trusted.get(name);
    if (trusted === undefined) {
      trusted = isTrusted(name, this.#text);
      this.#trusted.set(name, trusted);
    }
    return trusted;
  };

  get inProject(): boolean {
    return !/^[/~$\ue100\ue101]|(^|\/)\.\.(\/|$)/.test(this.#directory);
  }

  report(risk: Risk, reason: string, saysMore = false): void {
    this.#found.report(risk, reason, saysMore);
  }

  /** Judges a text that bash runs. A text that bash would reject is never safe; the commands found in it count. */
  text(text: string): void {
    const { script, commands, error, brokenText } = parse(text, this.#limits);
    if (brokenText) {
      this.#classifyEach(commands);
      this.#found.span = undefined;
      reportUnseen(this, namesDanger(text) ? 'dangerous' : 'caution', 'has a part that cannot be parsed');
    }
    if (script) {
      this.script(script, NO_INPUT);
      return;
    }
    this.#classifyEach(commands);
    this.#found.span = undefined;
    const message = error?.kind === 'limit' ? `is ${error.message}` : `cannot be parsed: ${error?.message}`;
    const looksBad = error?.kind === 'limit' || mayHide(text);
    reportUnseen(this, looksBad ? 'dangerous' : 'caution', message);
  }

  /** Judges commands by themselves, where there is no tree that holds them all. */
  #classifyEach(commands: readonly Command[]): void {
    this.#shallow = true;
    for (const command of commands) if (command.kind === 'simple') this.#simple(command, NO_INPUT);
    this.#shallow = false;
  }

  script(script: Script, input: Input): void {
    for (const item of script.items) this.#item(item, input);
  }

  #item({ pipeline }: Item, input: Input): void {
    let previous: Command | undefined;
    for (const command of pipeline.commands) {
      if (command.kind === 'loop' || /^g?xargs$/.test(firstWord(command))) this.#mentionListed(previous);
      const { input: own, printed } = previous ? pipedFrom(previous, this.trusts) : { input, printed: [] };
      if (!isReader(command)) for (const path of printed) this.mention(path);
      this.#command(command, own);
      previous = command;
    }
    if (sendsEnvironment(pipeline.commands)) {
      this.report('dangerous', 'sends the variables of the environment to another machine');
    }
  }

  #command(command: Command, input: Input): void {
    if (command.kind === 'simple') this.#simple(command, input);
    else this.#compound(command, input);
  }

  #compound(command: Compound, input: Input): void {
    const { name } = command;
    if (command.kind === 'function' && name !== undefined) {
      const { source, start, end } = command;
      const multiplies = /\|(?!\|)|(?<![&>])&(?![&>\d])/.test(source.slice(start, end));
      this.#functions.set(name, { source, start, end, multiplies });
    }
    this.#found.span = command;
    if (command.kind === 'test' || command.kind === 'arithmetic') this.report('safe', 'compares and computes');
    this.#classifyWords(command.words);
    this.#found.span = command;
    if (command.kind === 'loop' || command.kind === 'coproc') this.#classifyLoop(command);
    if (command.words.some(command.kind === 'test' ? this.#runsInSubscript : runsInSubscript)) this.#reportSubscript();
    const printsInput = command.kind === 'loop' && PRINTS.test(command.source.slice(command.start, command.end));
    const own = this.#redirects(command.redirects, input, printsInput ? '' : undefined);
    for (const script of command.scripts) this.script(script, own);
  }

  #simple(command: Simple, input: Input): void {
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
    const own = this.#redirects(command.redirects, input, program);
    this.#found.span = command;
    for (const word of command.assignments) this.#assignment(word, command.words.length > 0);
    if (EVALUATES.test(program) && command.words.some(this.#runsInSubscript)) this.#reportSubscript();
    const given = substitutedIn(command, argv, this.trusts);
    if (given === SETTINGS) reportUnseen(this, 'caution', 'runs the settings that a program prints');
    else if (given !== undefined) this.runText(given);
    else if (argv.length > 0) this.run(argv, { ...own, verb: '', name: '', args: [], input: own.text });
  }

  readonly #runsInSubscript = (word: Word) => RUNS_IN_SUBSCRIPT.test(textOf(word, this.trusts));

  #reportSubscript(): void {
    this.report('dangerous', 'runs the command in an array subscript');
  }

  /** Judges the substitutions in words. */
  #classifyWords(words: readonly Word[]): void {
    for (const word of words) {
      this.#limits.spend(1);
      for (const effect of word.effects) {
        if (effect.kind === 'runs') reportUnseen(this, 'dangerous', `runs ${effect.what}`);
        else this.set(effect.name, HOLE);
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
  #mentionListed(command: Command | undefined): void {
    if (command?.kind !== 'simple') return;
    const [verb = '', ...args] = wordsOf(command, this.trusts);
    for (const path of listedBy(verb, args)) this.mention(path);
  }

  /** Judges the variable that a loop or a coprocess sets, and the files that a loop goes through. */
  #classifyLoop({ name, words }: Compound): void {
    if (name !== undefined) this.set(name, HOLE);
    for (const word of words.slice(1)) {
      for (const path of fieldsOf(word, this.trusts)) this.mention(path);
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
    if (RUNS_IN_SUBSCRIPT.test(value)) this.report('dangerous', 'holds a command that arithmetic would run');
    const rule = VARIABLES.find((candidate) => candidate.name.test(name));
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
    const { fed, input, source, isPiped } = outer;
    this.#limits.spend(argv.length);
    if (!this.#isVerbKnown(verb)) return;
    const { name, known } = identify(verb);
    this.#classifyRecursion(verb);
    if (this.#functions.has(verb) && !known) {
      this.report('safe', 'calls a function');
      classifyPaths({ verb, name: verb, args, fed, input }, this, this.#directory);
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.report('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const call: Call = { verb, name, args, fed, input, source, isPiped };
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

  runIfDangerous(verb: string): void {
    if (isDangerousName(verb)) this.report('dangerous', `may run ${identify(verb).name}`);
  }

  runText(code: string): void {
    this.report('caution', 'runs code that is given on the command line');
    if (hasHole(code)) {
      reportUnseen(this, 'dangerous', 'runs code that cannot be told');
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.report('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const span = this.#found.span;
      this.#limits.deeper(() => this.text(code));
      this.#found.span = span;
    }
    this.#wrapped--;
  }

  /** Refuses a command whose name has a hole. A quoted path may have one if its last part is known. */
  #isVerbKnown(verb: string): boolean {
    if (!hasHole(verb) && !/^\$\w+$/.test(verb)) return true;
    const base = verb.slice(verb.lastIndexOf('/') + 1);
    if (!verb.includes(HOLE) && verb.includes('/') && base !== '' && !hasHole(base)) {
      reportUnseen(this, 'caution', 'runs a program whose directory cannot be told');
      return true;
    }
    reportUnseen(this, 'dangerous', 'runs a command whose name cannot be told');
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
  #redirects(redirects: readonly Redirect[], input: Input, program: string | undefined): Input {
    let own = input;
    for (const redirect of redirects) {
      this.#classifyWords([redirect.target]);
      if (redirect.variable !== undefined) this.set(redirect.variable, HOLE);
      const target = textOf(redirect.target, this.trusts);
      if (redirect.operator.startsWith('<')) own = this.#input(redirect.operator, target, { before: own, program });
      if (redirect.operator.includes('>')) this.#output(redirect.operator, target);
    }
    return own;
  }

  #input(operator: string, target: string, { before, program }: { before: Input; program: string | undefined }): Input {
    if (operator === '<<<') this.mention(target);
    if (operator.startsWith('<<')) return { fed: true, text: hasHole(target) ? undefined : target };
    if (operator === '<&') return before;
    if (target === '/dev/null') return NO_INPUT;
    this.reads(target);
    // `$(< file)` prints the file.
    const isShown = program === '' || (program !== undefined && showsInput(identify(program).name));
    classifyOpened(target, isShown, this, this.#directory);
    return { fed: true, text: undefined, source: hasHole(target) ? undefined : target };
  }

  #output(operator: string, target: string): void {
    if (operator === '>&' && /^(\d+-?|-)$/.test(target)) return;
    if (DISCARDED.test(target)) return;
    this.report('caution', 'writes a file');
    classifyWritten(target, this, this.#directory);
  }

  /** Judges a file that a program reads or writes, as its own code tells. */
  file(path: string, _call: Call, { written }: { written: boolean }): void {
    if (written) classifyWritten(path, this, this.#directory);
    else classifyOpened(path, true, this, this.#directory);
  }
}

function isReader(command: Command): boolean {
  return /^(cat|grep|head|tail|wc|sed|awk|tr|cut|sort|tee|jq)$/.test(firstWord(command));
}

function runsInSubscript(word: Word): boolean {
  return word.pieces.some(({ text, quoted }) => quoted && text !== undefined && RUNS_IN_SUBSCRIPT.test(text));
}

/** Looks for the names of dangerous programs in a text of which nothing more is known. */
function namesDanger(text: string): boolean {
  const words = text.replace(/['"\\]/g, '').split(/[\s;&|(){}<>`$=,]+/);
  return [...words, ...text.split(/[\s;&|(){}<>`$=,'"\\]+/)].some((word) => word !== '' && isDangerousName(word));
}

/** Reports whether a text that cannot be parsed may hold a dangerous command. */
function mayHide(text: string): boolean {
  return OBSCURE.test(text) || namesDanger(text);
}

/**
 * Reports whether the value of a variable is known: it comes from outside and the command does not name it to set it,
 * or it is only ever set to `$!`, the process that the command started last. Any mention of the name that does not
 * follow a dollar sign counts as setting it.
 */
function isTrusted(name: string, text: string): boolean {
  if (ALWAYS.has(name)) return true;
  const isJob = !PASSED_ON.has(name);
  if (isJob && !text.includes('$!') && !text.includes('{!}')) return false;
  let jobs = 0;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = at + name.length;
    if (/\w/.test(before) || /\w/.test(text[after] ?? '')) continue; // A part of another name.
    if (before === '$' || (before === '{' && text[at - 2] === '$' && text[after] === '}')) continue;
    if (!isJob || !IS_JOB.test(text.slice(after, after + 8))) return false;
    jobs++;
  }
  return !isJob || jobs > 0;
}
