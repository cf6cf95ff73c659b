import { Arguments, valuesOf } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { GIT_SETTINGS, HARMLESS_SETTING } from '../rules/git.ts';
import { hasHole } from '../syntax/fields.ts';
import { argumentsOf } from '../table.ts';

const ASKS = new Set(['--version', '-v', '--help', '-h', '--exec-path', '--html-path', '--man-path', '--info-path']);

/** Judges the settings of git that name commands, for one call or for good. The table holds the subcommands. */
export function classifyGit(call: Call, context: Context): void {
  if (call.args.length === 1 && ASKS.has(call.args[0] ?? '')) context.report('safe', 'only tells of git');
  for (const setting of valuesOf(call.args, ['-c', '--config'])) {
    const equals = setting.indexOf('=');
    if (equals > 0) classifySetting(setting.slice(0, equals), setting.slice(equals + 1), context);
    else if (hasHole(setting)) context.report('caution', 'takes settings that cannot be told');
  }
  const at = call.args.indexOf('config');
  if (at !== -1 && argumentsOf(call).operands[0] === 'config') classifyConfig(call.args.slice(at + 1), context);
}

const CONFIG_VALUED = new Set(['-f', '--file', '--blob', '--type', '-t', '--default', '--value', '--comment', '--url']);

/** Judges `git config` by the name of a setting and its value, which may come after options that take a word. */
function classifyConfig(args: readonly string[], context: Context): void {
  const { operands } = new Arguments(args, CONFIG_VALUED);
  const [name, value] = operands.slice(operands[0] === 'set' || operands[0] === 'add' ? 1 : 0);
  if (name === undefined || value === undefined) return;
  if (hasHole(name)) context.report('dangerous', 'changes a setting that cannot be told');
  else classifySetting(name, value, context);
}

function classifySetting(name: string, value: string, context: Context): void {
  if (/^alias\./i.test(name)) {
    if (/^\s*!|(^|\s)-c\s|[\ue100\ue101]|--(exec|upload-pack|ext-diff)/.test(value))
      context.report('dangerous', 'gives git a command of its own');
    return;
  }
  if (GIT_SETTINGS.test(name) && !HARMLESS_SETTING.test(value)) context.report('dangerous', 'sets what git runs');
}
