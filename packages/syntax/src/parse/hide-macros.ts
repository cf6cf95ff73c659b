/** A text of C or C++ whose macros are blank, so that the grammar can read it. It has the same length. */
export interface HiddenMacros {
  readonly text: string;
  /** The starts of macros that belong to the declaration after them, by their ends. */
  readonly prefixes: ReadonlyMap<number, number>;
  /** Branches of conditionals that are skipped, since they open or close blocks. */
  readonly dropped: readonly Part[];
}

interface Part {
  readonly start: number;
  readonly end: number;
  /** The text there instead of blanks. */
  readonly fill?: string;
}

interface Hidden {
  readonly parts: readonly Part[];
  readonly isPrefix?: boolean;
}

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n]){1,4}'/g;
const DIRECTIVE = /^[ \t]*#[ \t]*(\w+)(?:\\[\s\S]|[^\n\\])*/gm;
const MACRO = /(?<![\w#"])[A-Z_][A-Z\d_]{2,}(?!\w)/g;
const STORAGE = 'static|inline|extern|virtual|constexpr|explicit|friend|register';
const QUALIFIER = `${STORAGE}|const|volatile|unsigned|signed|typename`;
const NAME = `(?!(?:${QUALIFIER})\\b)~?[A-Za-z_]`;
const TYPE = `(?:(?:${QUALIFIER}|struct|enum|class|union)\\s+)*${NAME}[\\w:]*(?:<[^;{}()]*>)?`;
/** A whole declaration follows, so the word before it is no type. */
const DECLARES = new RegExp(
  `^\\s+(?:(?:template|namespace|using|typedef|class|struct|enum|union|${STORAGE})\\b|${TYPE}(?:[\\s*&]+${NAME}|[\\s*&]*\\(\\s*\\w+\\s*\\)\\s*\\())`,
);
const IS_TYPE = new RegExp(`^\\s*${TYPE}[\\s*&]*$`);
const STARTS = /(?:^|[;{}:>])$/;
const AFTER_QUALIFIER = new RegExp(`(?:^|\\W)(?:${QUALIFIER})$`);
const NO_TYPE = /(?:^|\W)(?:return|struct|class|enum|union|else|goto|new|case|delete|throw|typedef)$/;
const KEY = /(?:^|\W)(?:class|struct|union|enum)$/;
const AFTER_PARAMETERS = /\)(?:\s*(?:const|override|noexcept|final))*$/;
/** A macro with such a name on a line of its own does not belong to the declaration below. */
const STANDS_ALONE = /BEGIN|END|OBJECT|DECLS|OPEN|CLOSE|NAMESPACE/;
const MOST_BEFORE = 200;
const MOST_AFTER = 400;

/** Hides macros that are specifiers, statements or labels, and conditionals whose branches do not close what they open. */
export function hideMacros(text: string): HiddenMacros {
  const bare = text.replace(COMMENT_OR_STRING, (found) =>
    found.startsWith('/') ? blank(found) : `"${blank(found).slice(2)}"`,
  );
  const { parts: conditionals, dropped } = openConditionals(bare);
  // Other directives end what is before them.
  const code = withBlanks(bare, conditionals).replace(DIRECTIVE, (found) => `${blank(found).slice(1)};`);
  const prefixes = new Map<number, number>();
  const parts = [...conditionals];
  let before = '';
  let at = 0;
  for (const { 0: name, index: start } of code.matchAll(MACRO)) {
    if (start < at) continue;
    before = (before + code.slice(at, start)).slice(-MOST_BEFORE);
    const hidden = judge(before, code, { start, end: start + name.length });
    const end = hidden?.parts.at(-1)?.end ?? start + name.length;
    before += hidden
      ? withBlanks(
          code.slice(start, end),
          hidden.parts.map((part) => ({ start: part.start - start, end: part.end - start })),
        )
      : name;
    at = end;
    parts.push(...(hidden?.parts ?? []));
    if (hidden?.isPrefix) prefixes.set(hidden.parts[0]?.end ?? end, start);
  }
  return { text: withBlanks(text, parts), prefixes, dropped };
}

/** A macro with its arguments, and the text around it. */
interface Macro extends Part {
  readonly name: string;
  readonly nameEnd: number;
  readonly args: Part | undefined;
  /** The text inside of its arguments. */
  readonly inner: string;
  readonly before: string;
  /** What is before it, without blanks. */
  readonly last: string;
  readonly rest: string;
  readonly isStart: boolean;
  readonly opensLine: boolean;
}

function judge(before: string, code: string, { start, end: nameEnd }: Part): Hidden | undefined {
  const args = argumentsAt(code, nameEnd);
  const end = args?.end ?? nameEnd;
  const last = before.trimEnd();
  const macro: Macro = {
    ...{ name: code.slice(start, nameEnd), start, nameEnd, end, args, before, last },
    inner: args ? code.slice(args.start + 1, end - 1) : '',
    rest: code.slice(end, end + MOST_AFTER),
    isStart: STARTS.test(last),
    opensLine: /(?:^|\n)[ \t]*$/.test(before),
  };
  if (macro.opensLine && /^[ \t]*(?:\n|$)/.test(macro.rest)) return judgeLine(macro);
  const isFirst = macro.isStart || AFTER_QUALIFIER.test(last);
  return judgeLabel(macro) ?? judgeParameter(macro) ?? (isFirst ? judgeSpecifier(macro) : judgeWithin(macro));
}

/** Judges a macro on a line of its own. */
function judgeLine({ name, start, end, args, last, rest, isStart }: Macro): Hidden | undefined {
  const isFunction = args ? /^\s*\{/.test(rest) : /^[ \t]*\n\w+[ \t]*\(/.test(rest);
  if (isFunction || !(isStart || last.endsWith(')')) || /\benum\b[^;{}]*\{$/.test(last)) return undefined;
  const isPrefix = !STANDS_ALONE.test(name) && /^[ \t]*\n[ \t]*[^\s}]/.test(rest);
  return { parts: [{ start, end }], isPrefix };
}

/** `PRIVATE_UNLESS_TESTED:` */
function judgeLabel({ start, end, args, rest, isStart, opensLine }: Macro): Hidden | undefined {
  const colon = /^[ \t]*:(?!:)/.exec(rest);
  return colon && !args && isStart && opensLine ? { parts: [{ start, end: end + colon[0].length }] } : undefined;
}

/** `template <typename T, ENABLE_IF(condition)>` */
function judgeParameter({ start, end, args, before, last, rest }: Macro): Hidden | undefined {
  const isParameter = args && /[<,]$/.test(last) && /^\s*[,>]/.test(rest) && /\btemplate\s*<[^;{}]*$/.test(before);
  return isParameter ? { parts: [{ start, end, fill: 'int' }] } : undefined;
}

/** `API int f()`, and `PUBLIC(int) f()`. */
function judgeSpecifier({ start, end, args, inner, last, rest, isStart }: Macro): Hidden | undefined {
  if (args && IS_TYPE.test(inner) && /^\s*[~A-Za-z_]\w*\s*\(/.test(rest)) {
    const opening = { start, end: args.start + 1 };
    return { parts: [opening, { start: end - 1, end }], isPrefix: isStart };
  }
  const isSpecifier = DECLARES.test(rest) || isConstructor(rest) || /\bexplicit$/.test(last);
  return isSpecifier ? { parts: [{ start, end }], isPrefix: isStart } : undefined;
}

/** `int STDCALL f()`, `class API A {`, `f() NOEXCEPT;` and `if CONSTEXPR (a)`. */
function judgeWithin({ start, nameEnd, end, args, last, rest }: Macro): Hidden | undefined {
  if (args && /(?:^|\W)if$/.test(last)) return { parts: [{ start, end: nameEnd }] };
  const isConvention = /[\w*&>]$/.test(last) && !NO_TYPE.test(last) && /^\s+[A-Za-z_][\w:]*\s*\(/.test(rest);
  const isOfType = KEY.test(last) && /^\s+\w+(?:\s*<[^;{}]*>)?(?:\s+final)?\s*[:{]/.test(rest);
  const isTrailing = AFTER_PARAMETERS.test(last) && /^\s*[{;]/.test(rest);
  return isConvention || isOfType || isTrailing ? { parts: [{ start, end }] } : undefined;
}

/** True for `Point(int x) : x(x) {}`. */
function isConstructor(rest: string): boolean {
  const name = /^\s+[A-Za-z_]\w*/.exec(rest)?.[0].length ?? 0;
  const parameters = argumentsAt(rest, name);
  return parameters !== undefined && /^\s*(?:noexcept\s*)?:(?!:)/.test(rest.slice(parameters.end));
}

function argumentsAt(code: string, from: number): Part | undefined {
  const start = from + (/^[ \t]*/.exec(code.slice(from, from + MOST_BEFORE))?.[0].length ?? 0);
  if (code[start] !== '(') return undefined;
  let depth = 0;
  for (let i = start; i < code.length && i < start + MOST_AFTER; i++) {
    depth += depthOf(code[i]);
    if (depth === 0) return { start, end: i + 1 };
  }
  return undefined;
}

function depthOf(character: string | undefined): number {
  if (character === '(' || character === '{') return 1;
  return character === ')' || character === '}' ? -1 : 0;
}

interface Branch {
  readonly directive: Part;
  readonly isNever: boolean;
  /** True if it is in a list or an expression. */
  readonly isInside: boolean;
  end: number;
  /** How many blocks it opens, and the least of that on the way. */
  depth: number;
  least: number;
}

/**
 * Finds conditionals whose branches open or close blocks, of which only the first branches are kept, and those within
 * lists and expressions.
 */
function openConditionals(code: string): { readonly parts: Part[]; readonly dropped: Part[] } {
  const parts: Part[] = [];
  const dropped: Part[] = [];
  const groups: Branch[][] = [];
  let last = '';
  let at = 0;
  for (const { 0: written, 1: word = '', index: start } of code.matchAll(DIRECTIVE)) {
    const text = code.slice(at, start);
    last = text.trimEnd().at(-1) ?? last;
    at = start + written.length;
    const directive = { start, end: at };
    const group = groups.at(-1);
    const branch = group?.at(-1);
    for (const character of branch ? text : '') count(branch as Branch, depthOf(character));
    if (word.startsWith('if')) {
      const isInside = last !== '' && !/[;{}:>]/.test(last);
      groups.push([toBranch(directive, { written, isInside })]);
    } else if (group && branch && /^(?:el|endif)/.test(word)) {
      branch.end = start;
      if (word !== 'endif') group.push(toBranch(directive, { written, isInside: false }));
      else close(groups, directive, { parts, dropped, code });
    }
  }
  return { parts, dropped };
}

function close(
  groups: Branch[][],
  directive: Part,
  { parts, dropped, code }: { parts: Part[]; dropped: Part[]; code: string },
): void {
  const group = groups.pop() ?? [];
  const isOpen = group.some(({ depth, least }) => depth !== 0 || least < 0);
  if (isOpen || group[0]?.isInside) parts.push(directive, ...group.map((each) => each.directive));
  if (!isOpen) return;
  const kept = group.find(({ isNever }) => !isNever) ?? group[0];
  const others = group.filter((each) => each !== kept).map((each) => ({ start: each.directive.end, end: each.end }));
  dropped.push(...others.filter(({ start, end }) => code.slice(start, end).trim() !== ''));
  parts.push(...others);
  const outer = groups.at(-1)?.at(-1);
  if (outer && kept) count(outer, kept.depth, kept.least);
}

function toBranch(directive: Part, { written, isInside }: { written: string; isInside: boolean }): Branch {
  return { directive, isInside, isNever: /^\s*#\s*if\s+0\b/.test(written), end: directive.end, depth: 0, least: 0 };
}

function count(branch: Branch, depth: number, least = depth): void {
  branch.least = Math.min(branch.least, branch.depth + least);
  branch.depth += depth;
}

function withBlanks(text: string, parts: readonly Part[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, fill = '' } of parts.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    result += text.slice(at, from) + fill + blank(text.slice(from + fill.length, end));
    at = end;
  }
  return result + text.slice(at);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
