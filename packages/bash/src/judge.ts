import type { Call, Context } from './context.ts';
import { fieldsOf, HOLE, hasHole, textOf } from './fields.ts';
import { judgeOpened, judgePaths, judgeWritten } from './judges/paths.ts';
import type { Limits } from './limits.ts';
import { parse } from './parser.ts';
import { identify, isDangerousName, judgeProgram, tarDashed } from './program.ts';
import type { Risk } from './rule.ts';
import { DISCARDED } from './rules/paths.ts';
import { VARIABLES } from './rules/variables.ts';
import type { Command, Compound, Item, Redirect, Script, Simple, Word } from './tree.ts';
import { isTrusted } from './trust.ts';

const MAX_WRAPPED = 24;
const MAX_DIRECTORY = 200;
const LEVEL: Readonly<Record<Risk, number>> = { safe: 0, caution: 1, dangerous: 2 };
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=([\s\S]*)$/;
const RUNS_IN_SUBSCRIPT = /\[[^[\]]*(?:\$\(|`)/;
/** What in a text that cannot be parsed may stand for any command. */
const OBSCURE = /\$['"({\w]|`|\\\S|\{[^{}\s]*,|[*?[]\S/;

export interface Finding {
  readonly risk: Risk;
  readonly reason: string;
  /** The command that decided, as it is written. */
  readonly part: string | undefined;
}

/** What a command has on its standard input. */
interface Input {
  readonly fed: boolean;
  readonly text: string | undefined;
}

interface Body extends Place {
  /** True when it has a pipeline or starts something in the background. */
  readonly multiplies: boolean;
}

const NO_INPUT: Input = { fed: false, text: undefined };

interface Place {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** Walks the tree of a command and keeps the worst of what the rules say. */
export class Judge implements Context {
  readonly #text: string;
  readonly #limits: Limits;
  readonly #functions = new Map<string, Body>();
  readonly #trusted = new Map<string, boolean>();
  #finding: Finding & { place?: Place | undefined } = { risk: 'safe', reason: 'runs nothing', part: undefined };
  notes = 0;
  #place: Place | undefined;
  /** Where the last `cd` led, if that is not the workspace. */
  #directory = '';
  #wrapped = 0;
  /** In broken text every command is looked at by itself. */
  #shallow = false;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  get finding(): Finding {
    const { risk, reason, place } = this.#finding;
    return { risk, reason, part: place?.source.slice(place.start, place.end) };
  }

  readonly trusts = (name: string): boolean => {
    let trusted = this.#trusted.get(name);
    if (trusted === undefined) {
      trusted = isTrusted(name, this.#text);
      this.#trusted.set(name, trusted);
    }
    return trusted;
  };

  note(risk: Risk, reason: string): void {
    this.notes++;
    if (this.notes > 1 && LEVEL[risk] <= LEVEL[this.#finding.risk]) return;
    this.#finding = { risk, reason, part: undefined, place: this.#place };
  }

  /** Judges a text that bash runs. What bash would reject is never safe, and what can still be made out in it counts. */
  text(text: string): void {
    const { script, commands, error, brokenText } = parse(text, this.#limits);
    if (brokenText) {
      this.note('caution', 'has a part that cannot be parsed');
      this.#judgeEach(commands);
    }
    if (script) {
      this.script(script, NO_INPUT);
      return;
    }
    this.#judgeEach(commands);
    this.#place = undefined;
    const message = error?.kind === 'limit' ? `is ${error.message}` : `cannot be parsed: ${error?.message}`;
    const looksBad = error?.kind === 'limit' || OBSCURE.test(text) || namesDanger(text);
    this.note(looksBad ? 'dangerous' : 'caution', message);
  }

  /** Judges commands by themselves, where there is no tree that holds them all. */
  #judgeEach(commands: readonly Command[]): void {
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
      const text = previous && this.#echoed(previous);
      this.#command(command, previous ? { fed: true, text } : input);
      previous = command;
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
    this.#place = command;
    if (command.kind === 'test' || command.kind === 'arithmetic') this.note('safe', 'compares and computes');
    this.#judgeWords(command.words);
    this.#place = command;
    if (command.words.some(runsInSubscript)) this.note('dangerous', 'runs the command in an array subscript');
    const own = this.#redirects(command.redirects, input);
    for (const script of command.scripts) this.script(script, own);
  }

  #simple(command: Simple, input: Input): void {
    this.#limits.spend(command.words.length + 1);
    this.#judgeWords(command.assignments);
    this.#judgeWords(command.words);
    this.#place = command;
    const own = this.#redirects(command.redirects, input);
    this.#place = command;
    for (const word of command.assignments) this.#assignment(word, command.words.length > 0);
    const argv = command.words.flatMap((word) => fieldsOf(word, this.trusts));
    if (argv.length > 0) this.run(argv, { name: '', args: [], fed: own.fed, input: own.text });
  }

  /** Judges the substitutions in words. */
  #judgeWords(words: readonly Word[]): void {
    for (const word of words) {
      this.#limits.spend(1);
      for (const piece of word.pieces)
        if (piece.name === '@P') this.note('dangerous', 'runs the commands in a variable');
      if (!this.#shallow) for (const script of word.scripts) this.script(script, NO_INPUT);
    }
  }

  #assignment(word: Word, isPrefix: boolean): void {
    const [, name, value] = ASSIGNMENT.exec(textOf(word, this.trusts)) ?? [];
    if (name === undefined || value === undefined) return;
    if (!isPrefix) this.note('caution', 'sets a variable');
    this.assign(name, value);
  }

  assign(name: string, value: string): void {
    if (RUNS_IN_SUBSCRIPT.test(value)) this.note('dangerous', 'holds a command that arithmetic would run');
    const rule = VARIABLES.find((candidate) => candidate.name.test(name));
    const isHarmless = rule?.harmless?.test(value) || (rule?.harmful && !rule.harmful.test(value));
    if (rule === undefined || isHarmless) this.note('caution', 'sets a variable');
    else this.note(rule.risk, `sets ${name}, which ${rule.reason}`);
  }

  run(argv: readonly string[], outer: Call): void {
    const [first = '', ...args] = argv;
    const verb = first === '$SHELL' ? 'sh' : first;
    this.#limits.spend(argv.length);
    if (!this.#isVerbKnown(verb)) return;
    const { name, known } = identify(verb);
    this.#judgeRecursion(verb);
    if (this.#functions.has(verb) && !known) {
      this.note('safe', 'calls a function');
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.note('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const call: Call = { name, args, fed: outer.fed, input: outer.input };
      judgeProgram(call, this);
      judgePaths(tarDashed(call), this, this.#directory);
      if (name === 'cd' || name === 'pushd') this.#changeDirectory(args);
    }
    this.#wrapped--;
  }

  runIfDangerous(verb: string): void {
    if (isDangerousName(verb)) this.note('dangerous', `may run ${identify(verb).name}`);
  }

  runText(code: string, _call: Call): void {
    this.note('caution', 'runs code that is given on the command line');
    if (hasHole(code)) {
      this.note('dangerous', 'runs code that cannot be told');
      return;
    }
    if (++this.#wrapped > MAX_WRAPPED) this.note('dangerous', 'is wrapped too deeply to vouch for');
    else {
      const place = this.#place;
      this.#limits.deeper(() => this.text(code));
      this.#place = place;
    }
    this.#wrapped--;
  }

  /** Nothing is known of a command whose name is not; within quotes, the last part of a path may be. */
  #isVerbKnown(verb: string): boolean {
    if (!hasHole(verb) && !/^\$\w+$/.test(verb)) return true;
    const base = verb.slice(verb.lastIndexOf('/') + 1);
    if (!verb.includes(HOLE) && verb.includes('/') && base !== '' && !hasHole(base)) {
      this.note('caution', 'runs a program whose place cannot be told');
      return true;
    }
    this.note('dangerous', 'runs a command whose name cannot be told');
    return false;
  }

  /** A function that calls itself in a pipeline or in the background fills the machine. */
  #judgeRecursion(verb: string): void {
    const body = this.#functions.get(verb);
    const place = this.#place;
    if (!body?.multiplies || place?.source !== body.source) return;
    if (body.start < place.start && place.end <= body.end) this.note('dangerous', 'calls itself without end');
  }

  #changeDirectory(args: readonly string[]): void {
    const directory = args.find((arg) => !arg.startsWith('-')) ?? '~';
    const isAbsolute = /^[/~$\ue100\ue101]/.test(directory);
    this.#directory = isAbsolute || this.#directory === '' ? directory : `${this.#directory}/${directory}`;
    if (this.#directory.length > MAX_DIRECTORY) this.#directory = HOLE;
  }

  /** Judges redirections, and gives what is on standard input after them. */
  #redirects(redirects: readonly Redirect[], input: Input): Input {
    let own = input;
    for (const redirect of redirects) {
      this.#judgeWords([redirect.target]);
      const target = textOf(redirect.target, this.trusts);
      if (redirect.operator.startsWith('<')) own = this.#input(redirect.operator, target, own);
      if (redirect.operator.includes('>')) this.#output(redirect.operator, target);
    }
    return own;
  }

  #input(operator: string, target: string, before: Input): Input {
    if (operator.startsWith('<<')) return { fed: true, text: hasHole(target) ? undefined : target };
    if (operator === '<&') return before;
    judgeOpened(target, { name: '', args: [], ...NO_INPUT, input: undefined }, this, this.#directory);
    return { fed: target !== '/dev/null', text: undefined };
  }

  #output(operator: string, target: string): void {
    if (operator === '>&' && /^(\d+-?|-)$/.test(target)) return;
    if (DISCARDED.test(target)) return;
    this.note('caution', 'writes a file');
    judgeWritten(target, this, this.#directory);
  }

  /** What a command prints, when it only prints its arguments. */
  #echoed(command: Command): string | undefined {
    if (command.kind !== 'simple' || command.redirects.length > 0) return undefined;
    const [verb, ...args] = command.words.flatMap((word) => fieldsOf(word, this.trusts));
    if (verb !== 'echo' && verb !== 'printf') return undefined;
    const text = args.join(' ');
    return hasHole(text) || text.includes('\\') ? undefined : text;
  }
}

function runsInSubscript(word: Word): boolean {
  return word.pieces.some(({ text, quoted }) => quoted && text !== undefined && RUNS_IN_SUBSCRIPT.test(text));
}

/** Looks for the names of dangerous programs in a text of which nothing more is known. */
function namesDanger(text: string): boolean {
  const words = text.replace(/['"\\]/g, '').split(/[\s;&|(){}<>`$=,]+/);
  return [...words, ...text.split(/[\s;&|(){}<>`$=,'"\\]+/)].some((word) => word !== '' && isDangerousName(word));
}
