import { describe, expect, test } from 'vitest';
import { classify } from './classify.ts';

describe('what only reads is safe', () => {
  test.each([
    'ls -la',
    'ls 2>/dev/null',
    'cat a 2>&1',
    'ls >/dev/null 2>&1',
    'cat f | grep x | wc -l',
    'cd src && grep -n x a.ts',
    'echo rm -rf x',
    'echo $(pwd) `pwd` "$(ls | wc -l)"',
    'for f in a b; do cat "$f"; done',
    'if [ -f a ]; then cat a; fi',
    '[[ a > b ]] && (( a > b )) && ls',
    'f() { ls; }; f',
    'find . -name "*.ts" -exec grep -l x {} +',
    'env ls',
    'timeout 5 ls',
    'nohup nice -n 5 cat f',
    'command -v rm',
    'git log --oneline | head -3',
    'git diff HEAD~1 -- src',
    'go env GOPATH',
    "sed -n '1,5p' f",
    "cat <<'EOF'\nrm x\nEOF",
    'cat <(ls)',
    '# only a comment',
    'docker ps',
    'LC_ALL=C ls',
    'NODE_ENV=test npm test',
    'a=1',
    'make',
    'ls | xargs cat',
    "awk '{print $1}' f",
    'sleep 9 & pid=$!; kill $pid',
  ])('%s', (command) => expect(classify(command).risk).toBe('safe'));
});

describe('what changes something, or cannot be vouched for, is caution', () => {
  test.each([
    'cp a b',
    'mv a b',
    'mkdir d',
    "sed -i 's/a/b/' f",
    "sed 's/a/b/w out' f",
    'sed "s/a/$X/" f',
    'curl https://example.com',
    'made-up-program --flag',
    './run.sh',
    'git push',
    'git made-up',
    'git diff --output=f',
    'git $X',
    'find . $X',
    'find . -fprint out',
    'rg $X',
    'sort *',
    'ls > out',
    'ls >> out',
    '> out',
    'FOO=1 ls',
    'PYTHONPATH=/tmp/x ls',
    'source .env',
    'cat .git/config',
    'bash x.sh',
    "bash -c 'ls'",
    "eval 'ls'",
    'python3 -c "print(1)"',
    "node -p 'process.version'",
    "perl -ne 'print if /x/' f",
    "python3 - <<'E'\nprint(1)\nE",
    "python3 -c \"open('x', 'w')\"",
    '. ./env.sh',
    'ssh host ls',
    'docker run x ls',
    'file -C -m x',
    "echo 'a",
    'ls )',
    'if ls',
    'echo `if`',
    '',
    '"$X/tool"',
  ])('%s', (command) => expect(classify(command).risk).toBe(command === '' ? 'safe' : 'caution'));
});

test('names the part that decided, and why', () => {
  expect(classify('ls && (cd x; rm -rf y) | cat')).toEqual({
    risk: 'dangerous',
    reason: 'removes files — irreversible',
    part: 'rm -rf y',
  });
  expect(classify('echo "$(sudo ls)"').part).toBe('sudo ls');
  expect(classify('bash -c "ls; kill 1"').part).toBe('kill 1');
  expect(classify('cat <<EOF\n$(rm x)\nEOF').part).toBe('rm x');
  expect(classify('{ ls; } > /dev/sda')).toMatchObject({ reason: 'writes to a device', part: '{ ls; } > /dev/sda' });
  expect(classify('LD_PRELOAD=./x.so ls').reason).toBe('sets LD_PRELOAD, which loads other code into programs');
});

test('cuts a long part', () => {
  const { part } = classify(`rm ${'x'.repeat(500)}`);
  expect(part).toHaveLength(101);
  expect(classify(`rm ${'x'.repeat(96)}😀`).part).toBe(`rm ${'x'.repeat(96)}…`);
});

test('does not vouch for what is too long, too deep or too involved', () => {
  expect(classify(`echo ${'x'.repeat(128 * 1024)}`).reason).toBe('is longer than a command line can be');
  expect(classify('echo a\0b').risk).toBe('dangerous');
  expect(classify(`${'( '.repeat(300)}ls${' )'.repeat(300)}`)).toMatchObject({
    reason: 'is nested too deeply to vouch for',
  });
  expect(classify(`${'env '.repeat(100)}ls`)).toMatchObject({ reason: 'is wrapped too deeply to vouch for' });
  expect(classify('<<a '.repeat(32_000)).reason).toBe('is too involved to vouch for');
  expect(classify('<<a'.repeat(43_000)).reason).toBe('is too involved to vouch for');
  expect(classify('f()'.repeat(40_000)).reason).toBe('is too involved to vouch for');
  expect(classify(`${'( '.repeat(20)}ls${' )'.repeat(20)}`).risk).toBe('safe');
  expect(classify(`${'env '.repeat(10)}ls`).risk).toBe('safe');
});

test('what bash would reject is judged by what can be made out', () => {
  expect(classify('ls\nrm x\n)').part).toBe('rm x');
  expect(classify("echo it's; sudo ls").risk).toBe('dangerous');
  expect(classify("echo it's $'\\x72m'").risk).toBe('dangerous');
  expect(classify('echo `rm x; if`').part).toBe('rm x');
  expect(classify('cat <<EOF\n$(rm x) $(\nEOF').part).toBe('rm x');
  expect(classify("echo it's fine")).toEqual({
    risk: 'caution',
    reason: 'cannot be parsed: unterminated single quote',
  });
});

describe('a job of the command itself may be ended, and no other process', () => {
  test.each(['sleep 9 & kill $!', 'sleep 9 & kill %1', 'sleep 9 & p=$!; kill -9 "$p"', 'kill -0 1', 'kill -l'])(
    'safe: %s',
    (command) => expect(classify(command).risk).toBe('safe'),
  );
  test.each([
    'kill 1',
    'kill $PPID',
    'kill $$',
    'p=1; kill $p',
    'sleep 9 & p=$!; p=1; kill $p',
    'kill %1 1',
    'kill -9 $HOME',
  ])('dangerous: %s', (command) => expect(classify(command).risk).toBe('dangerous'));
});

describe('a check of the project is safe where it is one, and nowhere else', () => {
  test.each([
    'npm test',
    'cd sub && npm test',
    'npx tsc --noEmit',
    'cargo test -- --nocapture',
    './node_modules/.bin/jest',
  ])('safe: %s', (command) => expect(classify(command).risk).toBe('safe'));
  test.each([
    'cd .. && npm test',
    'cd /elsewhere && npm test',
    'cd "$X" && npm test',
    'make test deploy',
    'make test CC=./evil',
    'gradle build publish',
    'npm run deploy',
    'npm run test:update',
    './pytest',
    '/tmp/tsc',
    'pytest ../x',
    'pytest -p evil',
    'jest --config=/x',
    'npx -y jest',
  ])('caution: %s', (command) => expect(classify(command).risk).toBe('caution'));
});

test('variables from outside are known, unless the command sets them', () => {
  expect(classify('$HOME/bin/tool').risk).toBe('caution');
  expect(classify('HOME=/x; $HOME/bin/tool').risk).toBe('dangerous');
  expect(classify('read HOME; $HOME/bin/tool').risk).toBe('dangerous');
  expect(classify('$MINE/bin/tool').risk).toBe('dangerous');
});

test.each([
  'jinn tools trust --all --yes',
  'jinn ui --no-open',
  'jinn tools grants add deploy tool deploy --yes',
  'jinn tools install ./x --yes',
  'jinn tools env set A_TOKEN x',
  'jinn lsp trust rust-analyzer --yes',
  'node apps/jinn/dist/jinn.cjs tools trust evil --yes',
  'node -r ./a.js --no-warnings dist/jinn.js tools trust evil',
  './apps/jinn/dist/jinn.cjs tools trust evil',
  'deno run -A jinn.mjs tools grants add deploy tool deploy',
  'node node_modules/.bin/jinn lsp trust rust-analyzer',
])('deciding for the person what tools may do is dangerous: %s', (command) => {
  expect(classify(command).risk).toBe('dangerous');
});

describe('what jinn keeps for itself is not to be read or changed', () => {
  test.each([
    'cat ~/.config/jinn/.env',
    'cat "$XDG_CONFIG_HOME/jinn/.env"',
    'cat $JINN_CONFIG_DIR/jinn/.env',
    'cat /srv/settings/jinn/.env',
    'cd ~/.config && cat jinn/.env',
    'cp -r ~/.config/jinn .',
    'sqlite3 ~/.config/jinn/state.db "select 1"',
    'sqlite3 "$JINN_CONFIG_DIR/jinn/state.db" "select 1"',
    'echo {} > ~/.config/jinn/config.json',
    'tee $XDG_CONFIG_HOME/jinn/config.json',
    'cp -r .jinn/tools/evil ~/.config/jinn/tools/',
    'mv ~/.config/jinn x',
    "python3 -c \"open('/home/me/.config/jinn/config.json', 'w')\"",
    'python3 -c "print(open(\'/home/me/.config/jinn/.env\').read())"',
  ])('dangerous: %s', (command) => expect(classify(command).risk).toBe('dangerous'));
  test.each(['ls ~/.config/jinn', 'cat ~/.config/jinn/config.json', 'sqlite3 app/state.db "select 1"'])(
    'safe: %s',
    (command) => expect(classify(command).risk).toBe('safe'),
  );
});

describe('code that nobody reads is dangerous if it plainly does harm', () => {
  test.each([
    ['python3 -c \'import shutil; shutil.rmtree("d")\'', 'runs code that removes files'],
    ['python3 -c \'from os import remove as r; r("x")\'', 'runs code that removes files'],
    ['node -e \'fs.rmSync("d")\'', 'runs code that removes files'],
    ['ruby -e \'File.delete "x"\'', 'runs code that removes files'],
    ["lua -e 'os.execute(\"ls\")'; os.remove('x')", 'runs code that starts another program'],
    ["perl -e 'print `ls`'", 'runs code that starts another program'],
    ["node -e 'process.kill(1)'", 'runs code that ends processes'],
    ["python3 -c 'eval(x)'", 'runs code that makes more code'],
    ['node -e \'x["ki" + "ll"](1)\'', 'runs code that puts names together'],
    ['python3 -c \'open("/home/me/.bashrc", "a")\'', 'changes a file that the shell runs or takes commands from'],
    ['python3 -c \'open("/home/me/.netrc")\'', 'reads credentials'],
    ['python3 -c "$X"', 'runs code that is given on the command line'],
    ['pwsh -c ls', 'runs code that is given on the command line'],
  ])('%s', (command, reason) => expect(classify(command)).toMatchObject({ risk: 'dangerous', reason }));
  test.each(["node -e 'console.log(`a`)'", "node -e '/a/.exec(x)'", 'python3 -c \'import re; re.compile("a")\''])(
    'caution: %s',
    (command) => expect(classify(command).risk).toBe('caution'),
  );
});

describe('what the parser reads otherwise than bash hides no command', () => {
  test.each([
    'true &\\\n& git reset --hard',
    `echo \${\\\nx:-$(rm x)}`,
    `echo \${x!$(rm x)}`,
    'ls $((1 + $([[ a<(rm x) == a ]])))',
    'bash <<-E\n\tcat <<F\n\tx\n\tF\n\trm x\n\tE',
    "echo $(( 'a[$(rm x)]' ))",
    'echo $(( "a[\\$(rm x)]" ))',
    'f@() { rm x; }; f@',
    '!(rm x)',
  ])('dangerous: %s', (command) => expect(classify(command).risk).toBe('dangerous'));

  test('a variable whose name is on the next line cannot be told', () => {
    expect(classify('git $\\\nX')).toEqual({ ...classify('git $X'), part: 'git $\\\nX' });
    expect(classify('$\\\nX y').risk).toBe('dangerous');
  });
});

test('a process substitution goes on with the word before it', () => {
  expect(classify('x=<(ls) y=1 rm z')).toMatchObject({ risk: 'dangerous', part: 'x=<(ls) y=1 rm z' });
  expect(classify('ls a<(pwd)').risk).toBe('safe');
});
