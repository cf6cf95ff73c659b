import { expect, test } from 'vitest';
import { readCommand, readInput } from './index.ts';

/** Types one text after another, as if each were approved, and gives the risk of each. */
function risks(command: string, texts: readonly string[], input: 'pipe' | 'terminal' = 'terminal'): string[] {
  let typed = '';
  return texts.map((text) => {
    const { risk } = readInput({ command, input, typed }, text);
    typed += text;
    return risk;
  });
}

test.each([
  ['bash', 'caution'],
  ['python3 -i', 'caution'],
  ['python3 -m pdb x.py', 'caution'],
  ['python3 -m pdb -c "!import os" x.py', 'dangerous'],
  ['node', 'caution'],
  ['bash <<< "rm -rf /"', 'dangerous'],
  ['cat x | bash', 'dangerous'],
  ['eval "$(cat)"', 'dangerous'],
  ['ssh -N -L 1:x:2 host', 'caution'],
])('a job is judged without what is typed later: %s', (command, risk) => {
  expect(readCommand(command, '').risk).toBe(risk);
});

const ATTACKS: readonly (readonly [command: string, ...texts: string[]])[] = [
  ['bash', 'rm -rf /\n'],
  ['bash', 'rm -rf', ' /\n'],
  ['bash -i', 'r', 'm -rf ~\n'],
  ['bash', 'ls\r', 'rm -rf .\r'],
  ['sh', 'cat <<EOF\n', 'EOF\nrm -rf x\n'],
  ['env bash', 'f() {\n', 'rm -rf x\n', '}\n'],
  ['bash', 'read x\n', ": '\nrm -rf x\n'\n"],
  ['bash', 'head -n1 >/dev/null\n', ': "\nrm -rf x\n"\n'],
  ['bash', 'x=rm\n', '$x -rf y\n'],
  ['bash', 'f=.env\n', 'cat $f\n'],
  ['bash', 'cd /\n', 'echo rm -rf x\x01\x1bd\n'],
  ['bash', 'echo ok\n', '\x1b[A\n'],
  ['bash', 'cat .e\t\n'],
  ['bash', 'ls\n', '!!\n'],
  ['bash', 'ls\n', '!ls\n'],
  ['bash', 'ls -a\n', '^ls^rm\n'],
  ['bash', 'echo ', '\x03', 'rm -rf x\n'],
  ['bash', 'alias ls="rm -rf"\n'],
  ['bash', 'python3\n'],
  ['bash', 'bash\n'],
  ['bash', 'sudo -s\n'],
  ['zsh', 'rm -rf /\n'],
  ['bash', 'sqlite3\n', '.shell rm -rf x\n'],
  ['bash', 'gdb -q\n', 'shell rm -rf x\n'],
  ['bash', 'python3 -i -c pass\n', 'import os\n', 'os.remove("x")\n'],
  ['bash', 'psql\n', '\\! rm -rf x\n'],
  ['bash', 'exec <<< "rm -rf x"\n'],
  ['bash', 'exec 0< <(echo rm -rf x)\n'],
  ['fish', 'ls\n'],
  ['timeout 100 bash', 'git push --force\n'],
  ['docker exec -it x bash', 'rm -rf /\n'],
  ['docker run -it debian', 'rm -rf /\n'],
  ['docker run -it debian', 'x=rm\n', '$x -rf /\n'],
  ['./repl', 'rm -rf /\n'],
  ['npm run shell', 'rm -', 'rf /\n'],
  ['{ bash; }', 'rm -rf /\n'],
  ['if true; then bash; fi', 'rm -rf /\n'],
  ['head -1; bash', 'x\n', 'rm -rf /\n'],
  ['ssh host', 'ls\n'],
  ['sudo bash', 'ls\n'],
  ['cat | bash', 'ls\n'],
  ['. /dev/stdin', 'ls\n'],
  ['bash -c "bash"', 'ls\n'],
  ['while read l; do eval "$l"; done', 'ls\n'],
  ['python3 -i', 'import shutil; shutil.rmtree("x")\n'],
  ['python3 -i', 'import os\n', 'os.', 'remove("x")\n'],
  ['python3', 'print(open(".env").read())\n'],
  ['python3 -i x.py', '__import__("os").system("ls")\n'],
  ['python3 -m pdb x.py', '!import os; os.remove("x")\n'],
  ['python3 -m ipdb x.py', '!rm -rf x\n'],
  ['ipython', '!rm -rf x\n'],
  ['node', 'require("fs").rmSync("x")\n'],
  ['node inspect x.js', 'exec require("child_process").execSync("ls")\n'],
  ['gdb ./a', 'shell rm -rf x\n'],
  ['gdb ./a', '!rm -rf x\n'],
  ['gdb ./a', 'call (int)system("rm -rf x")\n'],
  ['lldb ./a', 'platform shell rm -rf x\n'],
  ['vim x', ':!rm -rf x\n'],
  ['less x', '!rm -rf x\n'],
  ['git log', '/foo\n', '!rm -rf x\n'],
  ['psql', '\\! rm -rf x\n'],
  ['psql', 'drop table x;\n'],
  ['sqlite3 x.db', '.shell rm -rf x\n'],
  ['sqlite3 x.db', '.system rm -rf x\n'],
  ['ftp host', '!rm -rf x\n'],
];

test.each(ATTACKS)('asks about what runs in %s: %j %j', (command, ...texts) => {
  for (const kind of ['terminal', 'pipe'] as const) {
    if (kind === 'pipe' && texts.join('').includes('\t')) continue;
    expect(risks(command, texts, kind)).toContain('dangerous');
  }
});

const HARMLESS: readonly (readonly [command: string, ...texts: string[]])[] = [
  ['bash', 'ls -la\n', 'git status\n', 'cd src && npm test\n', 'for i in 1 2; do\necho $i\ndone\n'],
  ['bash', '[ ! -f x ] && echo "no!"\n', 'echo $!\n', '\x03', '\x04'],
  ['python3 -i', 'print(1)\n', 'import math\n', 'x = [i for i in range(3)]\n', 'x\n', 'exit()\n'],
  ['python3 -m pdb x.py', 'b 3\n', 'c\n', 'p x\n', 'where\n', 'q\n'],
  ['node', '1 + 1\n', 'const x = { a: 1 }\n', '.exit\n'],
  ['gdb ./a', 'break main\n', 'run\n', 'print x\n', 'bt\n', 'quit\n', 'y\n'],
  ['git add -p', 'y\n', 'n\n', 's\n', '/foo\n', '?\n', 'q\n'],
  ['npm init', 'my-package\n', '\n', 'A build system, and more\n', 'MIT\n', 'yes\n'],
  ['read -s x', 'secret!\n'],
  ['rm -ri x', 'y\n', 'n\n'],
  ['psql', 'select * from x;\n', '\\d\n', '\\q\n'],
];

test.each(HARMLESS)('asks about nothing in %s: %j', (command, ...texts) => {
  expect(risks(command, texts)).not.toContain('dangerous');
});

test('a danger is asked about once, and the same again if it comes again', () => {
  expect(risks('bash', ['rm -rf build\n', 'ls\n', 'rm -rf build\n', 'ls\n'])).toEqual([
    'dangerous',
    'caution',
    'dangerous',
    'caution',
  ]);
});

test('the dangerous parts are named', () => {
  const { dangers, reason, part } = readInput({ command: 'bash', input: 'pipe', typed: 'ls\nrm -' }, 'rf x; ls\n');
  expect({ reason, part }).toEqual({ reason: 'removes files — irreversible', part: 'rm -rf x' });
  expect(dangers).toHaveLength(1);
});

test('judging takes a bounded time, and what is too much is asked about', () => {
  const line = 'echo hello world # and more\n';
  expect(risks('bash', [line.repeat(4_000)])).toEqual(['caution']);
  expect(risks('bash', [line.repeat(5_000)])).toEqual(['dangerous']);
  const different = Array.from({ length: 8_000 }, (_, i) => `!x${i}`).join('');
  expect(risks('./repl', [different])).toEqual(['dangerous']);
});
