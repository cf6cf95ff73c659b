import fs from 'node:fs';
import path from 'node:path';

const MIDDLEWARE = ['etag', 'powered-by', 'body-limit', 'basic-auth', 'bearer-auth', 'csrf'];
const middlewareFiles = MIDDLEWARE.map((name) => `dist/middleware/${name}/index.js`);

const CAMELCASE_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Option } from '../index.js';

test('an option of two dashes in a row has a name', () => {
  assert.equal(new Option('--one--two').attributeName(), 'oneTwo');
});
`;
const FIX_CAMELCASE = [
  'edit_file',
  {
    path: 'lib/option.js',
    old_text: "str.split('-').reduce(",
    new_text: "str.split('-').filter(Boolean).reduce(",
  },
];
const RUN_TEST = 'node --test tests/';

const THREE = [
  { file: 'lib/application.js', from: "this.set('subdomain offset', 2);", to: "this.set('subdomain offset', 3);" },
  {
    file: 'lib/application.js',
    from: "this.set('query parser', 'simple')",
    to: "this.set('query parser', 'extended')",
  },
  { file: 'lib/view.js', from: "'index' + ext", to: "'main' + ext" },
];
/** What a model believes to be there. */
const WRONG = [{ ...THREE[0], from: "this.set('subdomain offset', 1);" }, ...THREE.slice(1)];
const bashEdit = ({ file, from, to }) => `sed -i "s/${from}/${to}/" ${file}`;
const toEdit = ({ file, from, to }) => ({ path: file, old_text: from, new_text: to });

/** Tasks that change files. */
export const edits = [
  {
    what: 'hono: rename mergePath everywhere',
    of: 'hono',
    steps: {
      jinn: [['search_replace', { pattern: '\\bmergePath\\b', replacement: 'joinPath', files: 'dist' }]],
      bash: [
        ['bash', { command: "rg -lw mergePath dist | xargs sed -i 's/\\bmergePath\\b/joinPath/g' && git diff --stat" }],
      ],
    },
    check: ({ run }) => [
      run('rg -w mergePath dist') !== '' && 'the old name is still there',
      run('rg -ow joinPath dist | wc -l').trim() !== '40' && 'not 40 places',
      run('git diff --name-only | wc -l').trim() !== '10' && 'not 10 files',
    ],
  },
  {
    what: 'hono: an option in six middlewares',
    of: 'hono',
    steps: {
      jinn: [
        ['search_files', { pattern: 'return async function', path: middlewareFiles }],
        [
          'search_replace',
          {
            pattern: '^(\\treturn async function \\w+\\((\\w+), next\\) \\{)$',
            replacement: '$1\n\t\tif (options?.skip?.($2)) return next();',
            files: middlewareFiles,
          },
        ],
      ],
      bash: [
        ['bash', { command: `rg -n 'return async function' dist/middleware/{${MIDDLEWARE}}/index.js` }],
        [
          'bash',
          {
            command: `sed -i -E 's/^(\\treturn async function \\w+\\((\\w+), next\\) \\{)$/\\1\\n\\t\\tif (options?.skip?.(\\2)) return next();/' dist/middleware/{${MIDDLEWARE}}/index.js && git diff --stat`,
          },
        ],
      ],
    },
    check: ({ run }) => [
      run('rg -c "skip\\?\\.\\((c|ctx)\\)\\) return next" dist/middleware | wc -l').trim() !== '6' &&
        'not in six files',
      ...middlewareFiles.map((file) => run(`node --check ${file} 2>&1`) !== '' && `${file} does not parse`),
    ],
  },
  {
    what: 'express: three edits in two files, none of them or all',
    of: 'express',
    steps: {
      jinn: [['multi_edit', { edits: THREE.map(toEdit) }]],
      lean: [['edit_file', { edits: THREE.map(toEdit) }]],
      bash: [['bash', { command: `${THREE.map(bashEdit).join(' && ')} && git diff -U0 | rg '^[+-]'` }]],
      filesystem: THREE.map(({ file, from, to }) => [
        'edit_file',
        { path: file, edits: [{ oldText: from, newText: to }] },
      ]),
    },
    check: ({ read }) => THREE.map(({ file, to }) => !read(file).includes(to) && `${file} has not ${to}`),
  },
  {
    what: 'express: three edits, one of them of a text that the model remembers wrongly',
    of: 'express',
    steps: {
      jinn: [WRONG, THREE].map((all) => ['multi_edit', { edits: all.map(toEdit) }]),
      lean: [WRONG, THREE].map((all) => ['edit_file', { edits: all.map(toEdit) }]),
      bash: [
        ['bash', { command: `${WRONG.map(bashEdit).join(' && ')} && git diff -U0 | rg '^[+-]'` }],
        ['bash', { command: "rg -n 'subdomain offset' lib/application.js" }],
        ['bash', { command: `${bashEdit(THREE[0])} && git diff -U0 | rg '^[+-]'` }],
      ],
    },
    check: ({ read }) => THREE.map(({ file, to }) => !read(file).includes(to) && `${file} has not ${to}`),
  },
  {
    what: 'express: take back the last three edits, not the one before',
    of: 'express',
    prepare: (dir) => fs.appendFileSync(path.join(dir, 'lib/view.js'), '// work in progress\n'),
    steps: {
      jinn: [...THREE.map((edit) => ['edit_file', toEdit(edit)]), ['undo', { action: 'restore', last: 3 }]],
      bash: [
        ...THREE.map((edit) => ['bash', { command: `${bashEdit(edit)} && git diff -U0 ${edit.file} | rg '^[+-]'` }]),
        [
          'bash',
          {
            command: `${THREE.map(({ file, from, to }) => bashEdit({ file, from: to, to: from })).join(' && ')} && git diff -U0 | rg '^[+-]'`,
          },
        ],
      ],
      filesystem: [...THREE, ...THREE.map(({ file, from, to }) => ({ file, from: to, to: from }))].map(
        ({ file, from, to }) => ['edit_file', { path: file, edits: [{ oldText: from, newText: to }] }],
      ),
    },
    check: ({ run, read }) => [
      run('git diff --name-only').trim() !== 'lib/view.js' && 'another file is still changed',
      !read('lib/view.js').endsWith('work in progress\n') && 'the change before went too',
      read('lib/view.js').includes("'main'") && 'an edit is still there',
    ],
  },
  {
    what: 'commander: a bug, the failing test first',
    of: 'commander',
    steps: {
      jinn: [
        ['search_files', { pattern: 'camelcase', path: 'lib' }],
        ['read_file', { path: 'lib/option.js', symbol: 'camelcase' }],
        ['write_file', { path: 'tests/name.test.js', content: CAMELCASE_TEST }],
        ['run_shell', { command: RUN_TEST }],
        FIX_CAMELCASE,
        ['run_shell', { command: RUN_TEST }],
      ],
      lean: [
        ['search_files', { pattern: 'camelcase', path: 'lib' }],
        ['read_file', { path: 'lib/option.js', symbol: 'camelcase' }],
        [
          'apply_patch',
          {
            patch: `*** Begin Patch\n*** Add File: tests/name.test.js\n${CAMELCASE_TEST.replace(/^/gm, '+').replace(/\+$/, '')}*** End Patch`,
          },
        ],
        ['run_shell', { command: RUN_TEST }],
        FIX_CAMELCASE,
        ['run_shell', { command: RUN_TEST }],
      ],
      bash: [
        ['bash', { command: 'rg -n camelcase lib' }],
        ['bash', { command: "sed -n '/^function camelcase/,/^}/p' lib/option.js" }],
        ['bash', { command: `mkdir -p tests && cat > tests/name.test.js <<'EOF'\n${CAMELCASE_TEST}EOF\n${RUN_TEST}` }],
        [
          'bash',
          {
            command: `sed -i "s/str.split('-').reduce(/str.split('-').filter(Boolean).reduce(/" lib/option.js && git diff -U0 lib | rg '^[+-]'`,
          },
        ],
        ['bash', { command: RUN_TEST }],
      ],
    },
    check: ({ saw, run }) => [
      !saw('Cannot read properties of undefined') && 'the test did not fail first',
      run(RUN_TEST).includes('# fail 1') && 'the test fails',
    ],
  },
  {
    what: 'express: move a module, mend the imports',
    of: 'express',
    steps: {
      jinn: [
        [
          'search_files',
          {
            pattern: "require\\('\\.{0,2}/.*\\bview'\\)|require\\('\\./",
            path: 'lib',
            include: '{view,application}.js',
          },
        ],
        [
          'apply_patch',
          {
            patch:
              "*** Begin Patch\n*** Update File: lib/view.js\n*** Move to: lib/views/view.js\n*** Update File: lib/application.js\n@@\n-var View = require('./view');\n+var View = require('./views/view');\n*** End Patch",
          },
        ],
        ['run_shell', { command: 'node -e "require(\'.\')()"' }],
      ],
      bash: [
        ['bash', { command: 'rg -n "require\\(\'\\./" lib/{view,application}.js' }],
        [
          'bash',
          {
            command:
              "mkdir lib/views && git mv lib/view.js lib/views/ && sed -i \"s#require('./view')#require('./views/view')#\" lib/application.js && node -e \"require('.')()\" && git status --short",
          },
        ],
      ],
      filesystem: [
        ['read_text_file', { path: 'lib/view.js' }],
        ['read_text_file', { path: 'lib/application.js' }],
        ['create_directory', { path: 'lib/views' }],
        ['move_file', { source: 'lib/view.js', destination: 'lib/views/view.js' }],
        [
          'edit_file',
          { path: 'lib/application.js', edits: [{ oldText: "require('./view')", newText: "require('./views/view')" }] },
        ],
      ],
    },
    check: ({ dir, run }) => [
      run('node -e "require(\'.\')()" 2>&1') !== '' && 'express does not load',
      fs.existsSync(path.join(dir, 'lib/view.js')) && 'the old file is still there',
    ],
  },
  {
    what: 'express: edit a file that a command has changed since it was read',
    of: 'express',
    steps: {
      jinn: [
        ['read_file', { path: 'lib/view.js', start_line: 14, end_line: 30 }],
        ['run_shell', { command: "sed -i 's/^var /const /' lib/*.js" }],
        ['edit_file', { path: 'lib/view.js', old_text: 'join = path.join', new_text: 'joinPath = path.join' }],
        ['edit_file', { path: 'lib/view.js', old_text: 'join = path.join', new_text: 'joinPath = path.join' }],
      ],
      bash: [
        ['bash', { command: "sed -n '14,30p' lib/view.js" }],
        ['bash', { command: "sed -i 's/^var /const /' lib/*.js" }],
        [
          'bash',
          {
            command:
              "sed -i 's/join = path.join/joinPath = path.join/' lib/view.js && git diff -U0 lib/view.js | rg '^[+-].*path'",
          },
        ],
      ],
    },
    check: ({ read }) => [
      !read('lib/view.js').includes('const joinPath = path.join') && 'the edit is not there',
      /^var /m.test(read('lib/view.js')) && 'what the command did is gone',
    ],
  },
];
