import type { SandboxName } from '../confine.ts';

const makeFile = (place: string) => `f=$(mktemp ${place}/jinn-XXXXXX) && rm -f "$f"`;
const READ_HIDDEN = { 'read a hidden file': 'true < /etc/passwd' };
/** What a command in a sandbox must not be able to do, each with an attempt at it in the shell. */
const ATTEMPTS = {
  bubblewrap: { 'write to /usr': '[ -w /usr ]', ...READ_HIDDEN, 'see other processes': '[ $$ -ge 16 ]' },
  'sandbox-exec': {
    'write to /usr': makeFile('/usr'),
    'write to /tmp': makeFile('/tmp'), // The system itself may close /usr.
    ...READ_HIDDEN,
    'see other processes': 'ps -p $PPID',
  },
};

/** Returns a script that fails, and says why, if a sandbox does not keep it from what it must not be able to do. */
export function trialOf(name: Exclude<SandboxName, 'none'>): string {
  const lines = Object.entries(ATTEMPTS[name]).map(
    ([what, attempt]) => `{ ${attempt}; } > /dev/null 2>&1 && { echo 'a command can ${what}'; exit 1; }`,
  );
  return [...lines, 'exit 0'].join('\n');
}
