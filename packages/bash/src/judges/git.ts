import { valuesOf } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { hasHole } from '../fields.ts';
import { GIT_SETTINGS, HARMLESS_SETTING } from '../rules/git.ts';
import { argumentsOf } from '../table.ts';

const ASKS = new Set(['--version', '-v', '--help', '-h', '--exec-path', '--html-path', '--man-path', '--info-path']);

/** `git`: settings that name commands, given for one call or for good. The table holds the subcommands. */
export function judgeGit(call: Call, context: Context): void {
  if (call.args.length === 1 && ASKS.has(call.args[0] ?? '')) context.note('safe', 'only tells of git');
  for (const setting of valuesOf(call.args, ['-c', '--config'])) {
    const equals = setting.indexOf('=');
    if (equals > 0) judgeSetting(setting.slice(0, equals), setting.slice(equals + 1), context);
    else if (hasHole(setting)) context.note('caution', 'takes settings that cannot be told');
  }
  const { operands } = argumentsOf(call);
  if (operands[0] !== 'config') return;
  const [name, value] = operands.slice(operands[1] === 'set' || operands[1] === 'add' ? 2 : 1);
  if (name === undefined || value === undefined) return;
  if (hasHole(name)) context.note('dangerous', 'changes a setting that cannot be told');
  else judgeSetting(name, value, context);
}

function judgeSetting(name: string, value: string, context: Context): void {
  if (/^alias\./i.test(name)) {
    if (/^\s*!|(^|\s)-c\s|[\ue100\ue101]|--(exec|upload-pack|ext-diff)/.test(value))
      context.note('dangerous', 'gives git a command of its own');
    return;
  }
  if (GIT_SETTINGS.test(name) && !HARMLESS_SETTING.test(value)) context.note('dangerous', 'sets what git runs');
}
