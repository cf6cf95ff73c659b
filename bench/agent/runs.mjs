import fs from 'node:fs';
import path from 'node:path';

/** Prints a test of 10,000 cases, the 5,201st of which fails. */
const CASES = `const { Option } = await import('./index.js');
console.log('running 10000 cases');
let failed = 0;
for (let n = 1; n <= 10000; n++) {
  const name = new Option(\`--case-\${n}\`).attributeName();
  if (name !== \`case\${n === 5201 ? 'Five' : n}\`) {
    failed++;
    console.log(\`  ✖ case \${n}\\n      Error: expected caseFive but got \${name}\\n      at cases.mjs:7\`);
  } else console.log(\`  ✔ case \${n} (0.1ms)\`);
}
console.log(\`\\n\${10000 - failed} passing\\n\${failed} failing\`);
process.exitCode = failed;
`;

/** A check whose report is at its head, and whose last lines tell nothing. */
const REPORT = `console.log('ERROR lib/help.js: 3 problems');
for (let n = 0; n < 40; n++) console.log(\`looked at part \${n}\`);
process.exitCode = 2;
`;

const SERVER = `const app = require('.')();
app.get('/', (req, res) => res.send('hello'));
app.listen(PORT, () => console.log('listening'));
`;
const port = 20_000 + (process.pid % 20_000);

/** Tasks that run something. */
export const runs = [
  {
    what: 'commander: the failure among 10,000 lines of a test',
    of: 'commander',
    prepare: (dir) => fs.writeFileSync(path.join(dir, 'cases.mjs'), CASES),
    steps: {
      jinn: [['run_shell', { command: 'node cases.mjs' }]],
      bash: [
        [
          'bash',
          {
            command:
              "node cases.mjs > /tmp/o.log 2>&1; tail -n 3 /tmp/o.log; grep -nE -A2 'Error|✖' /tmp/o.log | head -n 20",
          },
        ],
      ],
    },
    check: ({ saw }) => [
      !saw('got case5201') && 'the failure is not shown',
      !saw('1 failing') && 'the count is not shown',
    ],
  },
  {
    what: 'commander: does the check pass? its last three lines',
    of: 'commander',
    prepare: (dir) => fs.writeFileSync(path.join(dir, 'report.mjs'), REPORT),
    steps: {
      jinn: [['run_shell', { command: 'node report.mjs | tail -n 3' }]],
      bash: [['bash', { command: 'node report.mjs | tail -n 3' }]],
    },
    check: ({ saw }) => [!saw(/\b2\b|ERROR/) && 'nothing tells that it failed'],
  },
  {
    what: 'commander: what it is, and how one test is run',
    of: 'commander',
    steps: {
      jinn: [['detect_project', {}]],
      lean: [['run_shell', { command: 'ls; head -n 36 package.json | tail -n +19' }]],
      bash: [['bash', { command: 'ls; head -n 36 package.json | tail -n +19' }]],
      filesystem: [
        ['list_directory', { path: '.' }],
        ['read_text_file', { path: 'package.json' }],
      ],
    },
    check: ({ saw }) => [!saw('node --test') && 'how tests are run'],
  },
  {
    what: 'express: a server, asked, changed and asked again',
    of: 'express',
    prepare: (dir) => fs.writeFileSync(path.join(dir, 'server.js'), SERVER.replace('PORT', String(port))),
    steps: {
      jinn: [
        ['run_shell', { command: `node server.js & sleep 1; curl -s localhost:${port}; kill %1` }],
        ['edit_file', { path: 'server.js', old_text: "'hello'", new_text: "'goodbye'" }],
        ['run_shell', { command: `node server.js & sleep 1; curl -s localhost:${port}; kill %1` }],
      ],
      bash: [
        ['bash', { command: `node server.js & sleep 1; curl -s localhost:${port}; kill %1` }],
        ['bash', { command: `sed -i "s/'hello'/'goodbye'/" server.js && cat server.js` }],
        ['bash', { command: `node server.js & sleep 1; curl -s localhost:${port}; kill %1` }],
      ],
    },
    check: ({ saw }) => [!saw('hello') && 'no first answer', !saw(/goodbye(?!')/) && 'no second answer'],
  },
];
