import { toVisibleLines } from '@jinn/core/text';
import { classify } from '@jinn/shell/risk';

/** Answers a PreToolUse hook of Claude Code with one line of JSON. With nothing if its own rules are to decide. */
export function answerHook(input: string): string {
  const reason = reasonToAsk(input);
  if (reason === undefined) return '';
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'ask',
    permissionDecisionReason: `jinn: ${reason}`,
  };
  return `${JSON.stringify({ hookSpecificOutput })}\n`;
}

function reasonToAsk(input: string): string | undefined {
  const { tool_name, tool_input } = parse(input);
  if (tool_name !== undefined && tool_name !== 'Bash') return undefined;
  const command = tool_name === 'Bash' && tool_input?.command;
  if (typeof command !== 'string') return 'the hook got no command';
  const { risk, reason, part = 'the command' } = classify(command);
  return risk === 'dangerous' ? toVisibleLines(`${part} ${reason}`) : undefined;
}

function parse(input: string): { tool_name?: unknown; tool_input?: { command?: unknown } } {
  try {
    return JSON.parse(input) ?? {};
  } catch {
    return {};
  }
}
