import {
  type CommandArgument,
  type CommandNode,
  forEachChild,
  type ParsedScript,
  type Command as ParsedSimple,
  type PipelineNode,
  parse as parseBash,
  type Redirected,
  type Redirection,
  type SyntaxNode,
} from 'unbash';
import {
  type BashCommand,
  bareText,
  type Compound,
  type Item,
  type Pipeline,
  type Redirect,
  type Script,
  type Simple,
  type Word,
} from './fields.ts';
import { Limits, Unparsable, WordBuilder, type WordContext } from './word-builder.ts';

/** A text that was parsed as bash does. */
export interface ParsedCommand {
  readonly text: string;
  /** Undefined if the text cannot be parsed. */
  readonly script: Script | undefined;
  /** Every command that was found, inner ones before those that hold them. */
  readonly commands: readonly BashCommand[];
  /** Why there is no script. */
  readonly error: Unparsable | undefined;
  /** True if backquotes or a here-document hold what is no command: bash finds that only when it gets there. */
  readonly brokenText: boolean;
}

const KINDS = {
  Subshell: 'subshell',
  BraceGroup: 'group',
  If: 'if',
  While: 'loop',
  For: 'loop',
  Select: 'loop',
  ArithmeticFor: 'loop',
  Case: 'case',
  TestCommand: 'test',
  ArithmeticCommand: 'arithmetic',
  Function: 'function',
  Coproc: 'coproc',
} as const;

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[0\])?\+?=/;

type CompoundNode = Extract<CommandNode, { type: keyof typeof KINDS }>;

/** Parses a text as bash does. Never throws: `error` says what cannot be parsed. */
export function parse(text: string, limits = new Limits(text.length)): ParsedCommand {
  const converter = new Converter(limits);
  let script: Script | undefined;
  try {
    script = converter.convert(text);
  } catch (thrown) {
    // The parser recurses without a bound in functions whose body is a function: the stack overflows.
    converter.error = thrown instanceof Unparsable ? thrown : new Unparsable('limit', 'too involved to vouch for');
  }
  const { commands, error, brokenText } = converter;
  return { text, script: error ? undefined : script, commands, error, brokenText };
}

/** Converts the syntax tree of unbash to ours, in which words have pieces, and everything that bash runs is a script. */
class Converter {
  readonly commands: BashCommand[] = [];
  error: Unparsable | undefined;
  brokenText = false;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  convert(text: string): Script {
    this.#limits.spendOn(text);
    const toScript = this.#toScript.bind(this);
    return this.#toScript(parseBash(text), { limits: this.#limits, source: text, isLate: false, toScript });
  }

  #toScript(script: ParsedScript, context: WordContext): Script {
    const [error] = script.errors ?? [];
    if (error) this.#refuse(error.message, context);
    return this.#toList(script, context);
  }

  #refuse(message: string, { isLate }: WordContext): void {
    if (isLate) this.brokenText = true;
    else this.error ??= new Unparsable('syntax', message);
  }

  #toList({ commands }: Pick<ParsedScript, 'commands'>, context: WordContext): Script {
    const items: Item[] = [];
    for (const { command, background } of commands) {
      const [parts, operators] = command.type === 'AndOr' ? [command.commands, command.operators] : [[command], []];
      for (const [i, part] of parts.entries()) {
        items.push({ pipeline: this.#toPipeline(part, context), operator: operators[i] ?? (background ? '&' : ';') });
      }
    }
    return { items };
  }

  #toPipeline(node: PipelineNode, context: WordContext): Pipeline {
    if (node.type !== 'Pipeline') return { negated: false, commands: [this.#toCommand(node, context)] };
    const negations = node.prefixes.filter(({ type }) => type === 'Negation');
    return {
      negated: negations.length % 2 === 1,
      commands: node.commands.map((command) => this.#toCommand(command, context)),
    };
  }

  #toCommand(node: CommandNode, context: WordContext): BashCommand {
    if (node.type === 'Command' && hasOpenParenthesis(node, context)) this.#refuse("unexpected token '('", context);
    const command =
      node.type === 'Command' ? toSimple(node, context) : this.#limits.deeper(() => this.#toCompound(node, context));
    this.commands.push(command);
    return command;
  }

  #toCompound(node: CompoundNode | Redirected, context: WordContext): Compound {
    const [inner, redirects] = node.type === 'Redirected' ? [node.command, node.redirects] : [node, []];
    const words = arithmeticOf(inner, context);
    const scripts: Script[] = [];
    if (inner.type !== 'ArithmeticCommand') this.#collect(inner, { words, scripts }, context);
    return {
      kind: KINDS[inner.type],
      name: 'name' in inner ? bareText(words[0]) : undefined,
      scripts,
      words,
      redirects: redirects.map((redirect) => toRedirect(redirect, context)),
      source: context.source,
      start: node.pos,
      end: node.end,
    };
  }

  #collect(node: SyntaxNode, into: { words: Word[]; scripts: Script[] }, context: WordContext): void {
    forEachChild(node, (child) => {
      if (child.type === 'Word') into.words.push(new WordBuilder(context).addWord(child));
      else if (child.type === 'CompoundList') into.scripts.push(this.#toList(child, context));
      else if (isCommand(child)) {
        const pipeline = { negated: false, commands: [this.#toCommand(child, context)] };
        into.scripts.push({ items: [{ pipeline, operator: ';' }] });
      } else if (!child.type.startsWith('Arithmetic')) this.#collect(child, into, context);
    });
  }
}

function isCommand(node: SyntaxNode): node is CommandNode {
  return node.type === 'Command' || node.type === 'Redirected' || Object.hasOwn(KINDS, node.type);
}

/** Finds a parenthesis behind the name of a command. The parser passes it in silence if none closes it. */
function hasOpenParenthesis({ name }: ParsedSimple, { source }: WordContext): boolean {
  return name !== undefined && /^(?:[ \t]|\\\n)*\(/.test(source.slice(name.end, name.end + 100));
}

function toSimple({ name, prefix, args, redirects, pos, end }: ParsedSimple, context: WordContext): Simple {
  const nodes: CommandArgument[] = prefix.filter((part) => part.type === 'Assignment');
  if (name) nodes.push(name);
  const words = toWords(nodes.concat(args), context);
  const verb = words.findIndex((word) => !isAssignment(word));
  const split = verb === -1 ? words.length : verb;
  return {
    kind: 'simple',
    assignments: words.slice(0, split),
    words: words.slice(split),
    redirects: redirects.map((redirect) => toRedirect(redirect, context)),
    source: context.source,
    start: pos,
    end,
  };
}

/** Converts the words of a command. The parser takes `a<(b)`, which is one word, for two. */
function toWords(nodes: readonly CommandArgument[], context: WordContext): Word[] {
  const words: WordBuilder[] = [];
  nodes.forEach((node, i) => {
    if (node.type === 'Assignment') words.push(new WordBuilder(context).addAssignment(node));
    else if (node.pos === nodes[i - 1]?.end) words.at(-1)?.addWord(node);
    else words.push(new WordBuilder(context).addWord(node));
  });
  return words;
}

function isAssignment({ pieces: [first] }: Word): boolean {
  return first?.text !== undefined && !first.quoted && ASSIGNMENT.test(first.text);
}

function arithmeticOf(node: CompoundNode, context: WordContext): Word[] {
  if (node.type === 'ArithmeticCommand') return [new WordBuilder(context).addArithmetic(node.body)];
  if (node.type !== 'ArithmeticFor') return [];
  return [new WordBuilder(context).addArithmetic(context.source.slice(node.pos, node.body.pos))];
}

function toRedirect(node: Redirection, context: WordContext): Redirect {
  const { operator, descriptor } = node;
  const word = new WordBuilder(context);
  if (node.type === 'HereDoc') word.addHereDocument(node);
  else if (node.target) word.addWord(node.target);
  return {
    operator,
    target: word,
    variable: descriptor?.type === 'FileDescriptorVariable' ? descriptor.name : undefined,
  };
}
