import { Arguments, wordsIn } from '../arguments.ts';
import { type Call, type Context, reportUnseen, type Special } from '../context.ts';

const VALUED = new Set(
  wordsIn(
    '--root --toolset --tools --exclude-tools --sandbox --dangerous --max-result --token-file --approval-key-file --allow-host --allow-origin --log-file --log-args',
  ),
);
/** With one of these jinn changes nothing and runs nothing, whatever it is asked. */
const HARMLESS = ['--read-only', '--schema', '--doctor', '--version', '--help', '-v', '-h'];

function serving(subcommands: string): Special {
  const known = new Set(wordsIn(subcommands));
  return (call: Call, context: Context) => {
    if (known.has(call.args[0] ?? '')) return;
    const given = new Arguments(call.args, VALUED);
    if (HARMLESS.some((option) => given.has(option))) return;
    reportUnseen(context, 'dangerous', 'runs calls of jinn that no person is asked about');
  };
}

export const OWN_PROGRAMS: Readonly<Record<string, Special>> = {
  jinn: serving('tools lsp grants undo ui completion help'),
  'jinn-mcp': serving('install uninstall status grants hook completion help'),
};
