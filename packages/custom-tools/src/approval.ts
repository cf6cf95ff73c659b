import {
  cutMiddle,
  indentLines,
  type Question,
  type RefusalReason,
  type ShownText,
  ToolError,
  toVisible,
  toVisibleLines,
} from '@jinn/core';
import { shortFingerprint } from '@jinn/store/tool-folders';
import type { FoundTool } from './discover.ts';
import { toolsCommand } from './shell-words.ts';

const MAX_MESSAGE = 2_000;
const MAX_KEY = 300;
/** The most arguments that are shown, and the characters of one and of all of them. */
const MAX_ARGUMENTS = 40;
const MAX_ARGUMENT = 1_000;
const MAX_ALL_ARGUMENTS = 6_000;

export interface Asking {
  readonly tool: FoundTool;
  readonly args: object;
  readonly permission: { readonly type: string; readonly key: string };
  /** What the check script says to the person; may be empty. */
  readonly message: string;
  /** The hash of the folder; undefined if it has none, so that no grant can hold. */
  readonly fingerprint: string | undefined;
}

/** What the answer "always" permits for a tool that needs approval for every call. */
export function permissionOfTool({ name }: FoundTool): Question['permission'] {
  return { type: 'tool', key: name };
}

/** Makes the question whether a tool may run with these arguments. It shows the person all that the answer is about. */
export function askToRun({ tool, args, permission, message, fingerprint }: Asking): Question {
  const { name, dangerous } = tool;
  const said = cutMiddle(message, MAX_MESSAGE);
  const given = showArguments(tool, args);
  const [type, key] = [cutMiddle(permission.type, MAX_KEY), cutMiddle(permission.key, MAX_KEY)];
  const isWhole = [said, given, type, key].every((shown) => shown.isWhole);
  const lines = [
    `${dangerous ? '⚠ ' : ''}Run the tool ${name}?${dangerous ? ' Its author marked it as dangerous.' : ''}`,
    message === '' ? '' : indentLines(said.text),
    `Arguments: ${given.text}`,
  ];
  return {
    message: lines.filter((line) => line !== '').join('\n\n'),
    permission,
    always: `"Always" allows ${toVisible(type.text)}: ${toVisible(key.text)} in this workspace, while the code of the tool is the same (${shortFingerprint(fingerprint ?? '')}).`,
    onlyOnce: whyOnlyOnce(fingerprint, isWhole),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(dangerous && { details: { risk: 'dangerous' } }),
    refusal: (reason) => refuse(reason, { tool, permission, message }),
  };
}

function whyOnlyOnce(fingerprint: string | undefined, isWhole: boolean): string | undefined {
  if (fingerprint === undefined) return 'the folder of the tool is too large';
  return isWhole ? undefined : 'what is asked about is too long to be shown';
}

/**
 * Shows arguments as JSON, those of the schema first. Security: each is cut in its own middle, so that no other can push
 * it out of sight.
 */
function showArguments({ inputSchema }: FoundTool, args: object): ShownText {
  const { properties = {} } = inputSchema as { properties?: object };
  const isListed = ([name]: [string, unknown]) => Object.hasOwn(properties, name);
  const entries = Object.entries(args);
  const ordered = [...entries.filter(isListed), ...entries.filter((entry) => !isListed(entry))];
  const most = Math.min(MAX_ARGUMENT, Math.floor(MAX_ALL_ARGUMENTS / Math.max(1, ordered.length)));
  const shown = ordered
    .slice(0, MAX_ARGUMENTS)
    .map((entry) => entry.map((part) => cutMiddle(JSON.stringify(part), most)));
  const left = ordered.length - shown.length;
  const members = shown.map((parts) => parts.map(({ text }) => text).join(':'));
  const more = left === 0 ? [] : [`[… ${left} of ${ordered.length} arguments left out …]`];
  return {
    text: `{${[...members, ...more].join(',\n  ')}}`,
    isWhole: left === 0 && shown.flat().every(({ isWhole }) => isWhole),
  };
}

type Refused = Pick<Asking, 'tool' | 'permission' | 'message'>;

function refuse(reason: RefusalReason, { tool, permission, message }: Refused): ToolError {
  const why =
    message === '' ? `the tool ${tool.name} needs approval` : toVisibleLines(cutMiddle(message, MAX_MESSAGE).text);
  const [words, suggestion] = wordsOf(reason, toolsCommand('grants add', tool.name, permission.type, permission.key));
  return new ToolError('approval_required', `${words}: ${why}`, {
    suggestion,
    details: { ...(tool.dangerous && { risk: 'dangerous' as const }), meta: { permission } },
  });
}

function wordsOf(reason: RefusalReason, command: string): readonly [words: string, suggestion: string] {
  switch (reason) {
    case 'denied':
      return ['USER_REJECTION: the person said no', 'do not try it another way; ask the person what to do instead'];
    case 'unanswered':
      return ['denied: the person did not answer', 'ask the person, and call again'];
    case 'nobody':
      return [
        'denied: a person must approve this, and nobody can be asked here',
        `tell the person what you want to run, and why; this command allows it: ${command}`,
      ];
  }
}
