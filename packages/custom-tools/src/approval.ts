import { type Question, type RefusalReason, ToolError } from '@jinn/core';
import { shortFingerprint } from '@jinn/store/tool-folders';
import type { FoundTool } from './discover.ts';
import { toolsCommand } from './shell-words.ts';

const MAX_MESSAGE = 2_000;
const MAX_ARGUMENTS = 2_000;
const MAX_KEY = 300;

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
  const always =
    fingerprint === undefined
      ? 'The answer "always" cannot be remembered: the folder of the tool is too large.'
      : `"Always" allows ${showText(permission.type, MAX_KEY)}: ${showText(permission.key, MAX_KEY)} in this workspace, while the code of the tool is the same (${shortFingerprint(fingerprint)}).`;
  const lines = [
    `${dangerous ? '⚠ ' : ''}Run the tool ${name}?${dangerous ? ' Its author marked it as dangerous.' : ''}`,
    showText(message, MAX_MESSAGE),
    `Arguments: ${showText(JSON.stringify(args), MAX_ARGUMENTS)}`,
    always,
  ];
  return {
    message: lines.filter((line) => line !== '').join('\n\n'),
    permission,
    fingerprint: fingerprint ?? `none-${Math.random()}`,
    ...(dangerous && { details: { risk: 'dangerous' } }),
    refusal: (reason) => refuse(reason, { tool, permission, message }),
  };
}

type Refused = Pick<Asking, 'tool' | 'permission' | 'message'>;

function refuse(reason: RefusalReason, { tool, permission, message }: Refused): ToolError {
  const why = message === '' ? `the tool ${tool.name} needs approval` : showText(message, MAX_MESSAGE);
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

/** Control and format characters but for the line break, and halves of surrogate pairs. */
const INVISIBLE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Security: control characters of a script's text could drive the terminal of the person, or hide what is asked. */
function showText(text: string, max: number): string {
  const shown = text.length <= max ? text : `${text.slice(0, max)}…`;
  return shown.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
