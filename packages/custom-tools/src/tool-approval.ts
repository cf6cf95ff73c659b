import { askToRun, type Question, REFUSALS, type RefusalReason } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { cutMiddle, indentLines, type ShownText, toVisible, toVisibleLines } from '@jinn/core/text';
import type { FoundTool } from './discover.ts';
import { shortFingerprint } from './folders/index.ts';
import { toolsCommand } from './shell-words.ts';

const MAX_MESSAGE = 2_000;
const MAX_KEY = 300;
/** The most arguments that are shown, and the characters of one and of all of them. */
const MAX_ARGUMENTS = 40;
const MAX_ARGUMENT = 1_000;
const MAX_ALL_ARGUMENTS = 6_000;

export interface ApprovalRequest {
  readonly tool: FoundTool;
  readonly args: object;
  readonly permission: { readonly type: string; readonly key: string };
  /** The message of the check script to the user. May be empty. */
  readonly message: string;
  /** The hash of the folder, or undefined if it has none, so that no grant can hold. */
  readonly fingerprint: string | undefined;
  /** The name of the user. Empty for one without a name. */
  readonly person: string;
}

/** Returns the permission that the answer "always" gives to a tool that needs approval for every call. */
export function permissionOfTool({ name }: FoundTool): Question['permission'] {
  return { type: 'tool', key: name };
}

/** Makes the question whether a tool may run with these arguments. It shows the user all that the answer is about. */
export function askAboutTool({ tool, args, permission, message, fingerprint, person }: ApprovalRequest): Question {
  const { name, dangerous } = tool;
  const said = cutMiddle(message, MAX_MESSAGE);
  const given = showArguments(tool, args);
  const [type, key] = [cutMiddle(permission.type, MAX_KEY), cutMiddle(permission.key, MAX_KEY)];
  return askToRun({
    paragraphs: [
      `${dangerous ? '⚠ ' : ''}Run the tool ${name}?${dangerous ? ' Its author marked it as dangerous.' : ''}`,
      message === '' ? '' : indentLines(said.text),
      `Arguments: ${given.text}`,
    ],
    shown: [said, given, type, key].map((text) => ['what is asked about', text]),
    unseen: fingerprint === undefined ? 'the folder of the tool is too large' : undefined,
    permission,
    always: `"Always" allows ${toVisible(type.text)}: ${toVisible(key.text)} in this workspace, while the code of the tool is the same (${shortFingerprint(fingerprint ?? '')}).`,
    ...(fingerprint !== undefined && { fingerprint }),
    ...(dangerous && { details: { risk: 'dangerous' } }),
    refusal: (reason) => approvalError(reason, { tool, permission, message, person }),
  });
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
  const more = left === 0 ? [] : [`[… ${left} of ${ordered.length} arguments omitted …]`];
  return {
    text: `{${[...members, ...more].join(',\n  ')}}`,
    isWhole: left === 0 && shown.flat().every(({ isWhole }) => isWhole),
  };
}

type RefusedRun = Pick<ApprovalRequest, 'tool' | 'permission' | 'message' | 'person'>;

function approvalError(reason: RefusalReason, { tool, permission, message, person }: RefusedRun): ToolError {
  const why =
    message === '' ? `the tool ${tool.name} needs approval` : toVisibleLines(cutMiddle(message, MAX_MESSAGE).text);
  const [words, next] = REFUSALS[reason];
  const way =
    person === ''
      ? `this command allows it: ${toolsCommand('grants add', tool.name, permission.type, permission.key)}`
      : 'they can allow it where their host can ask them';
  return new ToolError('approval_required', `${reason === 'denied' ? 'USER_REJECTION' : 'denied'}: ${words}: ${why}`, {
    suggestion: reason === 'nobody' ? `${next}; ${way}` : next,
    details: { ...(tool.dangerous && { risk: 'dangerous' as const }), meta: { permission } },
  });
}
