import { valuesOf, wordsIn } from '../arguments.ts';
import { type Call, type Context, reportUnseen, type Special } from '../context.ts';
import { fieldsOf, HOLE, hasHole, QUOTED_HOLE, withoutGlobs } from '../syntax/fields.ts';
import { parse } from '../syntax/parse-bash.ts';
import { FD_EXEC, FIND_EXEC, ownWords } from '../tables.ts';
import { secretsNamed } from './listed-files.ts';

const ENV_VALUED = new Set(['-u', '--unset', '-C', '--chdir', '-P', '-a', '--argv0']);
const SPLIT = /^(-[a-zA-Z0]*S|--split-string=?)/;
const ASSIGNMENT = /^([A-Za-z_][\w.]*)=([\s\S]*)$/;

/** Judges `env`: its options, then assignments, then a command. `-S` brings words that count as arguments of env. */
function classifyEnv(call: Call, context: Context): void {
  const { args } = call;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const assignment = ASSIGNMENT.exec(arg);
    if (SPLIT.test(arg)) {
      classifySplit(i, call, context);
      return;
    }
    if (assignment) context.assign(assignment[1] ?? '', assignment[2] ?? '');
    else if (/^(-C|--chdir)/.test(arg)) context.report('caution', 'changes the directory');
    if (ENV_VALUED.has(arg)) i++;
    else if (!assignment && !arg.startsWith('-')) {
      context.run(args.slice(i), call);
      return;
    }
  }
  context.report('safe', 'only describes the environment');
}

function classifySplit(at: number, call: Call, context: Context): void {
  const arg = call.args[at] ?? '';
  const attached = arg.replace(SPLIT, '');
  const isNext = attached === '' && !arg.endsWith('=');
  const text = isNext ? (call.args[at + 1] ?? '') : attached;
  const rest = call.args.slice(at + (isNext ? 2 : 1));
  const { commands, error } = parse(text.replace(/[\ue100\ue101]/g, '$_'));
  const [command, ...others] = commands;
  if (error || command?.kind !== 'simple' || others.length > 0) {
    reportUnseen(context, 'dangerous', 'runs an unknown command');
    return;
  }
  const words = [...command.assignments, ...command.words].flatMap((word) => fieldsOf(word, () => false));
  context.run(['env', ...words, ...rest], call);
}

const XARGS_LONG = /^--(arg-file|delimiter|eof|max-args|max-chars|max-lines|max-procs|process-slot-var)$/;

/** Judges the variable that `xargs` sets for each command. */
function assignSlots(args: readonly string[], context: Context): void {
  for (const variable of valuesOf(args, ['--process-slot-var'])) context.assign(variable, HOLE);
}

function classifyXargs(call: Call, context: Context): void {
  const { args } = call;
  let mark: string | undefined;
  let i = 0;
  for (; i < args.length && /^-./.test(args[i] ?? ''); i++) {
    if (args[i] === '--') {
      i++;
      break;
    }
    const option = xargsOption(args, i);
    mark = option.mark ?? mark;
    if (option.takesNext) i++;
  }
  const command = args.slice(i);
  context.report('safe', 'prints what it reads');
  assignSlots(args, context);
  const isFile = call.source !== undefined && !call.isPiped;
  if (isFile || args.some((arg) => /^(-\w*a|--arg-file)/.test(arg)))
    reportUnseen(context, 'caution', 'takes words from a file');
  if (command.length === 0) return;
  for (const word of call.input?.split(/\s+/) ?? []) context.mention(word);
  const replaced = mark;
  for (const found of [replaced === undefined ? HOLE : QUOTED_HOLE, ...(call.listed ?? [])]) {
    const argv = replaced === undefined ? [...command, found] : command.map((word) => replaceIn(word, replaced, found));
    context.run(argv, { ...call, fed: true, input: undefined, listed: undefined });
  }
}

/** Puts what a program finds into a word of its command. In a text for a shell, a hole becomes a variable that no one sets. */
function replaceIn(word: string, mark: string, found: string): string {
  return word.replaceAll(mark, /\s/.test(word) && hasHole(found) ? '$_' : found);
}

function xargsOption(args: readonly string[], at: number): { mark?: string | undefined; takesNext: boolean } {
  const arg = args[at] ?? '';
  const optional = /^-[0rtpxo]*i(.*)$/.exec(arg) ?? /^--replace(?:=(.*))?$/.exec(arg);
  if (optional) return { mark: optional[1] || '{}', takesNext: false };
  const [, letter, attached] = /^-[0rtpxo]*([adEILnPsRSJ])(.*)$/.exec(arg) ?? [];
  if (letter === undefined) return { takesNext: XARGS_LONG.test(arg) };
  const takesNext = attached === '';
  const value = takesNext ? args[at + 1] : attached;
  return { mark: letter === 'I' || letter === 'J' ? value || '{}' : undefined, takesNext };
}

/** More secret names in one command tell nothing new. */
const MAX_SECRETS = 4;

function classifyFind(call: Call, context: Context): void {
  const { args } = call;
  const paths = foundBy(ownWords(call).args);
  let secrets: string[] = [];
  let before = 0;
  for (let i = 0; i < args.length; i++) {
    if (!FIND_EXEC.has(args[i] ?? '')) continue;
    const tests = args.slice(before, i);
    secrets = [...(tests.includes('-prune') ? [] : secrets), ...secretsNamed('find', tests)].slice(0, MAX_SECRETS);
    let end = i + 1;
    while (end < args.length && args[end] !== ';' && !(args[end] === '+' && args[end - 1] === '{}')) end++;
    for (const found of end > i + 1 ? [...paths, ...secrets] : []) {
      const command = args.slice(i + 1, end);
      const argv = command.map((word, at) => replaceIn(word, '{}', at === 0 ? QUOTED_HOLE : found));
      context.run(argv, call);
    }
    i = end;
    before = end + 1;
  }
}

/** Returns what stands for `{}`: paths below the directory where `find` starts, by the name that it looks for. */
function foundBy(args: readonly string[]): string[] {
  const [start = '-'] = args;
  if (/^[-(!]/.test(start) || hasHole(start)) return [QUOTED_HOLE];
  const [name, ...others] = valuesOf(args, ['-name', '-iname']).filter((value) => !hasHole(value));
  const isOpen = name === undefined || others.length > 0 || (name.includes('*') && !name.startsWith('.'));
  const below = start.replace(/\/$/, '');
  const isSystem = /^\/(etc|var|boot|$)/.test(start) && name !== undefined && others.length === 0;
  if (isOpen && !isSystem) return [`${below}/${QUOTED_HOLE}`];
  const last = withoutGlobs(name).replaceAll(HOLE, QUOTED_HOLE);
  return [`${below}/${QUOTED_HOLE}/${last}`, `${below}/${last}`];
}

/** Returns the paths that a command lists, as far as its arguments tell. */
export function listedBy(verb: string, args: readonly string[]): readonly string[] {
  if (verb === 'find') return foundBy(args);
  const isHidden = args.some((arg) => /^(-\w*[HuI]|--(hidden|unrestricted|no-ignore))/.test(arg));
  const [, ...places] = args.filter((arg) => !arg.startsWith('-'));
  if (isHidden && /^fd(find)?$/.test(verb)) return places.map((place) => `${place}/${QUOTED_HOLE}`);
  return verb === 'ls' ? args : [];
}

function classifyFd(call: Call, context: Context): void {
  const { args } = call;
  const own = ownWords(call).args;
  const listed = listedBy('fd', own);
  const secrets = secretsNamed('fd', own);
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const attached = /^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?=)(.+)$/.exec(arg)?.[1];
    if (!FD_EXEC.has(arg) && attached === undefined && !/^-[A-Za-z]+[xX]$/.test(arg)) continue;
    const end = args.indexOf(';', i);
    const words = [
      ...(attached && !FD_EXEC.has(arg) ? [attached] : []),
      ...args.slice(i + 1, end === -1 ? undefined : end),
    ];
    const command = words.map((word) => word.replaceAll(/\{[./]*\}/g, QUOTED_HOLE));
    const found = listed.length > 0 ? listed : [QUOTED_HOLE];
    if (command.length > 0) context.run([...command, ...found, ...secrets], call);
    if (end === -1) return;
    i = end;
  }
}

/** Programs of packages that `yarn` and `pnpm` run by their bare names, and that remove. */
const BARE = new Set(
  wordsIn('rimraf del del-cli trash trash-cli prisma sequelize sequelize-cli typeorm knex drizzle-kit'),
);

function classifyBareProgram(call: Call, context: Context): void {
  const at = call.args.findIndex((arg) => BARE.has(arg));
  if (at !== -1 && call.args.slice(0, at).every((arg) => /^-|^(run|exec|x|dlx)$/.test(arg)))
    context.run(call.args.slice(at), call);
}

/** `capsh -- -c code` hands the words after `--` to bash, and `--shell` names another one. */
function classifyCapsh(call: Call, context: Context): void {
  const at = call.args.findIndex((arg) => arg === '--' || arg === '==');
  if (at !== -1) context.run(['bash', ...call.args.slice(at + 1)], call);
}

/** Judges programs that may take what they are fed for commands, of which one with an exclamation mark is run. */
function classifyTyped({ name, fed, input }: Call, context: Context): void {
  if (input?.includes('!')) context.report(/^\s*!/m.test(input) ? 'dangerous' : 'caution', 'runs a command');
  if (fed && input === undefined && /^[bd]c$/.test(name)) context.report('caution', 'runs the program it is given');
}

export const RUNNING: Readonly<Record<string, Special>> = {
  capsh: classifyCapsh,
  yarn: classifyBareProgram,
  pnpm: classifyBareProgram,
  env: classifyEnv,
  genv: classifyEnv,
  xargs: classifyXargs,
  gxargs: classifyXargs,
  find: classifyFind,
  gfind: classifyFind,
  bc: classifyTyped,
  dc: classifyTyped,
  less: classifyTyped,
  more: classifyTyped,
  most: classifyTyped,
  info: classifyTyped,
  fd: classifyFd,
  fdfind: classifyFd,
};
