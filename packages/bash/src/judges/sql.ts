import type { Call, Context } from '../context.ts';
import { HARMFUL_SQL } from '../rules/remote.ts';

const MAX_LOOKED_AT = 20_000;

/** Clients of databases: what they are told, on the command line and on standard input. */
export function judgeSqlClient(call: Call, context: Context): void {
  const texts = call.input === undefined ? call.args : [...call.args, call.input];
  if (texts.some((text) => text.length > MAX_LOOKED_AT || HARMFUL_SQL.test(text))) {
    context.note('dangerous', 'removes data, or runs a command from the database');
  }
}

/** `ed` and `ex` run commands that begin with an exclamation mark, which may come in on standard input. */
export function judgeEditor({ input, fed }: Call, context: Context): void {
  if (!fed) return;
  if (input === undefined || /^[\d,.$%\s]*(?:[rwe]\s*)?!/m.test(input))
    context.note('dangerous', 'has the editor run a command');
}
