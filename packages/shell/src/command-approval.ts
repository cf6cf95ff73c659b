import { posix } from 'node:path';
import {
  askToRun,
  type DangerPolicy,
  type Question,
  REFUSALS,
  type RefusalReason,
  type SandboxPolicy,
  type ToolContext,
  type ToolOutput,
  toSubject,
} from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { cutMiddle, indentLines, toVisible } from '@jinn/core/text';
import { realPath } from '@jinn/process';
import { findSandbox } from '@jinn/process/sandbox';
import { resolveDirectory } from './launch-command.ts';
import { riskMeta } from './report.ts';
import type { Classification, CommandReading } from './risk/index.ts';

/** The most characters of a command and of its standard input that a question shows. */
const MAX_SHOWN_PARTS = 20;
const MAX_COMMAND = 2_000;
const MAX_STDIN = 1_000;
/** A larger file is not hashed, so that a command that reads it is allowed once only. */
const MAX_INPUT = 4 * 1024 * 1024;

/** Describes the risk of a command and where it is: `dangerous — removes files — irreversible (in: rm a)`. */
export function describeRisk(command: string, { risk, reason, part }: Classification): string {
  const where = part === undefined || part === command.trim() ? '' : ` (in: ${part})`;
  return `${risk} — ${reason}${where}`;
}

/**
 * Decides whether a command runs, a user is asked, or it is refused. `isForced`: the agent asked to run it all the
 * same.
 */
export function decide(
  { risk }: Classification,
  { dangerous = 'force', isForced }: { dangerous: DangerPolicy | undefined; isForced: boolean },
): 'run' | 'ask' | 'refuse' {
  if (risk !== 'dangerous' || dangerous === 'allow' || (dangerous === 'force' && isForced)) return 'run';
  return dangerous === 'deny' ? 'refuse' : 'ask';
}

/** A dangerous command, and everything that decides its effect. */
export interface AskedCommand {
  readonly command: string;
  readonly verdict: CommandReading;
  /** The directory as the caller wrote it, or undefined for the workspace root. */
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
  readonly background: boolean;
  readonly network: boolean;
  /** Why the user does not see everything that it reads: a clause. */
  readonly unseen?: string | undefined;
}

/** Makes the question whether a dangerous command may run. `canForce` is true if the agent may override the refusal. */
export async function askAboutCommand(
  asked: AskedCommand,
  ctx: ToolContext,
  { canForce }: { canForce: boolean },
): Promise<Question> {
  const { command, verdict, stdin } = asked;
  const [whole, input] = [cutMiddle(command, MAX_COMMAND), cutMiddle(stdin ?? '', MAX_STDIN)];
  const setting = await settingOf(asked, ctx);
  const inputs = hashInputs(asked, ctx);
  const directory = await resolveDirectory(asked.cwd, ctx);
  const { findLostChanges } = await import('./lost-changes.ts');
  const patch = ctx.canAsk ? await findLostChanges(asked, directory, ctx) : undefined;
  const places = verdict.places.map((place) =>
    realPlace(posix.resolve(directory, place.replace(/^~(?=\/|$)/, ctx.workspace.variables['HOME'] ?? '~'))),
  );
  return askToRun({
    paragraphs: [
      ...describeDangers(asked),
      indentLines(whole.text),
      stdin === undefined ? '' : `Its standard input (${describeText(stdin)}):\n${indentLines(input.text)}`,
      setting.sentences.join('\n'),
    ],
    patch,
    shown: [
      ['the command', whole],
      ['its standard input', input],
    ],
    unseen: asked.unseen ?? (whole.isWhole ? whatIsUnseen(verdict, inputs) : undefined),
    permission: { type: 'dangerous_command', key: [command, ...setting.words].join(' ') },
    fingerprint: sha256(JSON.stringify([command, stdin ?? null, ...setting.facts, ...(inputs ?? []), places])),
    always: `"Always" allows just this in this workspace: the same command, run in the same way${inputs?.length ? ', while the files that it reads are the same' : ''}.`,
    refusal: (cause) => blockedError(command, verdict, cause === 'nobody' && canForce ? FORCE : wordsOf(cause)),
  });
}

/** A dangerous input to a job. */
export interface AskedInput {
  readonly job: string;
  readonly input: string;
  readonly verdict: Classification & Pick<CommandReading, 'dangers'>;
  /** The job's command, as it was started. */
  readonly started: Pick<AskedCommand, 'command' | 'cwd' | 'network'>;
}

/** Makes the question whether a dangerous input may be typed. It is for once: the job is in another state the next time. */
export async function askAboutInput(
  { job, input, verdict, started }: AskedInput,
  ctx: ToolContext,
  { canForce }: { canForce: boolean },
): Promise<Question> {
  const [whole, command] = [cutMiddle(input, MAX_COMMAND), cutMiddle(started.command, MAX_COMMAND)];
  const setting = await settingOf({ ...started, stdin: undefined, background: true }, ctx);
  const asked = { command: input, verdict };
  return askToRun({
    paragraphs: [
      ...describeDangers(asked, `Type this into ${job}?`),
      indentLines(whole.text),
      `${job} runs:\n${indentLines(command.text)}`,
      setting.sentences.join('\n'),
    ],
    shown: [['the input', whole]],
    unseen: 'what it does depends on the state of the job',
    permission: { type: 'dangerous_command', key: `${started.command} [input: ${describeText(input)}]` },
    refusal: (cause) => blockedError(input, verdict, cause === 'nobody' && canForce ? FORCE : wordsOf(cause)),
  });
}

function whatIsUnseen({ unseen }: CommandReading, inputs: Inputs): string | undefined {
  if (unseen !== undefined) return `the command ${toVisible(unseen)}, so that something else could run the next time`;
  return inputs === undefined ? 'the command reads what cannot be compared the next time' : undefined;
}

/** The files of the workspace that a command reads, each with its hash, which is null for one that is missing. */
type Inputs = readonly (readonly [path: string, hash: string | null])[] | undefined;

/** Hashes the files of the workspace that a command reads. Returns undefined if one is no file that jinn opens, or too large. */
function hashInputs({ verdict, cwd = '.' }: AskedCommand, { workspace }: ToolContext): Inputs {
  const hashes: [string, string | null][] = [];
  for (const path of verdict.inputs) {
    if (path.startsWith('~')) return undefined;
    const isAbsolute = path.startsWith('/');
    try {
      const hash = workspace.withFile(isAbsolute ? path : `${cwd}/${path}`, (file) => {
        const size = Number(file.stat.size);
        return size > MAX_INPUT ? undefined : sha256(file.slice(0, size));
      });
      if (hash === undefined) return undefined;
      hashes.push([path, hash]);
    } catch (error) {
      const code = error instanceof ToolError ? error.code : undefined;
      if (code === 'file_not_found') hashes.push([path, null]);
      else if (code !== 'path_outside_sandbox' || !isAbsolute) return undefined;
    }
  }
  return hashes;
}

/** Returns where a path leads. What is missing, or may not be looked at, has its name below the directory above it. */
function realPlace(path: string): string {
  const above = posix.dirname(path);
  return realPath(path) ?? (above === path ? path : `${realPlace(above)}/${posix.basename(path)}`);
}

function describeDangers(
  { command, verdict }: { command: string; verdict: AskedInput['verdict'] },
  question = 'Run this command?',
): string[] {
  const { dangers, reason, part } = verdict;
  const parts = [...new Set(dangers.map((danger) => danger.part))];
  if (parts.length <= 1) {
    const risky =
      part === undefined || part === command.trim() ? [] : [`The risky part:\n${indentLines(part)}`, 'The whole:'];
    return [`${question} It ${toVisible(reasonsOf(verdict, part) || reason)}.`, ...risky];
  }
  const listed = parts.slice(0, MAX_SHOWN_PARTS).map((each) => {
    const reasons = toVisible(reasonsOf(verdict, each));
    return each === undefined ? `It ${reasons}.` : `It ${reasons}:\n${indentLines(each)}`;
  });
  const which = parts.length > MAX_SHOWN_PARTS ? `, of which these are the ${MAX_SHOWN_PARTS} worst` : '';
  return [`${question} ${parts.length} parts of it are dangerous${which}.`, ...listed, 'The whole:'];
}

function reasonsOf({ dangers }: Pick<CommandReading, 'dangers'>, part: string | undefined): string {
  const reasons = dangers.filter((danger) => danger.part === part).map(({ reason }) => reason);
  return reasons.join(', and ');
}

interface Setting {
  readonly sentences: readonly string[];
  /** The same for the key of a grant. Empty for the usual setting. */
  readonly words: readonly string[];
  /** The facts that must be the same for a grant to count. */
  readonly facts: readonly unknown[];
}

async function settingOf(asked: Omit<AskedCommand, 'verdict' | 'command'>, ctx: ToolContext): Promise<Setting> {
  const { background, stdin } = asked;
  const directory = await resolveDirectory(asked.cwd, ctx);
  const place = directory.slice(ctx.workspace.root.replace(/\/$/, '').length + 1);
  const policy = await ctx.sandboxPolicy();
  const network = asked.network && policy.network;
  const sandbox = policy.mode === 'off' ? 'none' : (await findSandbox({ network, keep: policy.keep })).name;
  const { writable, opened = [], hidden, shown = [], sockets = [] } = policy;
  const told: readonly (readonly [isSo: boolean, sentence: string, word: string])[] = [
    [place !== '', `It runs in the directory ${toVisible(place)}.`, `[in ${place}]`],
    [background, 'It runs in the background, until the session ends.', '[in the background]'],
    [!network, 'It gets no network.', '[without the network]'],
    [true, describeSandbox(sandbox, network, policy), sandbox === 'none' ? '' : '[in the sandbox]'],
    [stdin !== undefined, '', `[standard input: ${describeText(stdin ?? '')}]`],
  ];
  const holds = told.filter(([isSo]) => isSo);
  return {
    sentences: holds.map(([, sentence]) => sentence).filter(Boolean),
    words: holds.map(([, , word]) => word).filter(Boolean),
    facts: [place, background, network, sandbox, sandbox === 'none' ? [] : [writable, opened, hidden, shown, sockets]],
  };
}

function describeSandbox(
  sandbox: string,
  network: boolean,
  { writable, opened = [], shown = [], sockets = [] }: SandboxPolicy,
): string {
  if (sandbox === 'none')
    return 'No sandbox confines it. It can read and change all that you can, and send it to other machines.';
  const hasExceptions = [writable, opened, shown, sockets].some((places) => places.length > 0);
  const except = hasExceptions ? ', but for what your settings open' : '';
  const [prevented, open] = network
    ? ['', ', what is sent over the network, or what git pushes']
    : [', uses of the network and pushes of git', ''];
  return `The sandbox ${sandbox} confines it. It prevents changes outside of the workspace, of caches and of /tmp${prevented}, and hides secrets${except}. It does not prevent changes to files of the workspace${open}.`;
}

function describeText(text: string): string {
  return `${text.length} ${text.length === 1 ? 'character' : 'characters'}, sha256 ${sha256(text).slice(0, 12)}`;
}

function sha256(text: string | Buffer): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

/** Makes the error for a dangerous command, or input, where none may run. */
export function dangerousCommandError(command: string, verdict: Classification): ToolError {
  return blockedError(command, verdict, DENIED);
}

/** `rm` of files, and not of directories. */
const REMOVES_FILES = /^rm(?!.*\s-(?:\w*[rR]|-recursive))\s/;
const REMOVE_BY_PATCH = 'apply_patch with *** Delete File removes a file so that undo can bring it back';

type Words = readonly [message: string, suggestion: string];

function blockedError(command: string, verdict: Classification, [message, suggestion]: Words): ToolError {
  const details = { risk: verdict.risk, meta: riskMeta(verdict) };
  const isRemoval = REMOVES_FILES.test(verdict.part ?? command.trim());
  const next = isRemoval ? suggestion.replace(/destructive command$/, `$&: ${REMOVE_BY_PATCH}`) : suggestion;
  return new ToolError('command_blocked', `${message}: ${describeRisk(command, verdict)}`, {
    suggestion: next,
    details,
  });
}

function wordsOf(cause: RefusalReason): Words {
  const [message, suggestion] = REFUSALS[cause];
  return [message, cause === 'nobody' ? `${suggestion}, or use a less destructive command` : suggestion];
}

const FORCE: Words = [
  'blocked by risk classifier',
  'pass force:true in args to override, or use a less-destructive command',
];
const DENIED: Words = ['blocked: dangerous commands are switched off here', 'use a less destructive command'];

/** How a dangerous command can still run, by the operator's setting for dangerous commands. */
const WAYS = {
  force: '. It runs with force:true, or when the user approves it',
  ask: '. It runs when the user approves it',
  deny: '. Dangerous commands are switched off here',
  allow: '',
} as const;

/**
 * Describes the effect of a call, and whether it would be refused. Throws the error of the call about its directory.
 */
export async function dryRun(asked: AskedCommand & { readonly force: boolean }, ctx: ToolContext): Promise<ToolOutput> {
  const { command, verdict, cwd } = asked;
  await resolveDirectory(cwd, ctx);
  const { dangerous = 'force' } = ctx;
  const decision = decide(verdict, { dangerous, isForced: asked.force });
  let wouldRun = decision === 'run';
  if (decision === 'ask') {
    const question = await askAboutCommand(asked, ctx, { canForce: false });
    wouldRun = (await (await ctx.grants()).find(toSubject('run_shell', question))) !== undefined;
  }
  const lines = [`[dry-run] would execute: ${command}`];
  if (!wouldRun) {
    const why = describeRisk(command, verdict);
    lines.push(`[dry-run] would be refused: ${why}${WAYS[dangerous]}`);
  }
  return {
    text: lines.join('\n'),
    risk: verdict.risk,
    classification: 'success',
    meta: { would_run: wouldRun, ...riskMeta(verdict) },
  };
}
