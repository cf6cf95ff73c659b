import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { classify } from '../classify.ts';
import { accepted, commands } from '../fixture/corpus-commands.ts';

/** Commands that only we accept: bash runs nothing of them, unless extended globs are on. */
const ONLY_OURS = ['[[ a\n&& b ]]', 'echo $[1', 'echo !(a)', 'echo @(a|b)', '$['];
/** Commands that only bash accepts. They are never safe. */
const ONLY_BASH = ['[[ ]]', 'ls &\\\n& rm x'];

describe('beside bash -n', () => {
  // One bash reads all commands and has another check each: starting that is most of the time.
  const driver = 'while IFS= read -r -d "" c; do "$BASH" -n -c "$c" 2>&1; printf "\\0"; done';
  const input = commands.map((command) => `${command}\0`).join('');
  const { stdout } = spawnSync('bash', ['-c', driver], { input, encoding: 'utf8', maxBuffer: 1e8 });
  const complaints = stdout.split('\0').map((lines) => lines.replaceAll(/.*: warning: .*\n?/g, ''));

  test('accepts and rejects the same commands', () => {
    expect(commands.length).toBeGreaterThanOrEqual(500);
    expect(complaints).toHaveLength(commands.length + 1);
    const different = commands.filter((command, i) => accepted.get(command) !== (complaints[i] === ''));
    expect(different.toSorted()).toEqual([...ONLY_OURS, ...ONLY_BASH].toSorted());
    expect(ONLY_BASH.filter((command) => classify(command).risk === 'safe')).toEqual([]);
  });
});
