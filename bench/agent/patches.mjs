import fs from 'node:fs';
import path from 'node:path';

const PYTHON = `class Counter:
    def __init__(self):
        self.seen = 0

    def count(self, groups):
        total = 0
        for group in groups:
            if group.active:
                for item in group.items:
                    if item.size > 0:
                        total += item.size
        self.seen += 1
        return total
`;
/** What a model sends that has the block in mind with too little indentation. */
const LOOSE = { before: ['if item.size > 0:', '    total += item.size'], added: '    self.seen += 1' };
const PYTHON_CHECK =
  'from counter import Counter as C\nimport types as t\nc=C()\nc.count([t.SimpleNamespace(active=1,items=[t.SimpleNamespace(size=n) for n in (0,2,3)])])\nprint(c.seen)';
const DIFF = `diff --git a/lib/utils.js b/lib/utils.js
--- a/lib/utils.js
+++ b/lib/utils.js
@@ -143,5 +143,6 @@ exports.compileETag = function(val) {
       break;
     case 'strong':
+    case 'exact':
       fn = exports.etag;
       break;
     default:
`;
const CONTEXT = [
  ' app.enabled = function enabled(setting) {',
  '-  return Boolean(this.set(setting));',
  '+  return this.set(setting) === true;',
  ' };',
];
const WRONG_CONTEXT = [' app.enabled = function (setting) {', ...CONTEXT.slice(1)];
const patchOf = (lines) =>
  `*** Begin Patch\n*** Update File: lib/application.js\n@@\n${lines.join('\n')}\n*** End Patch`;
const diffOf = (lines) =>
  `--- a/lib/application.js\n+++ b/lib/application.js\n@@ -420,3 +420,3 @@\n${lines.join('\n')}\n`;

/** Tasks that change files by patches, and a notebook. */
export const patches = [
  {
    what: 'express: a patch with a wrong line of context',
    of: 'express',
    steps: {
      jinn: [WRONG_CONTEXT, CONTEXT].map((lines) => ['apply_patch', { patch: patchOf(lines) }]),
      bash: [
        ['bash', { command: `git apply <<'EOF'\n${diffOf(WRONG_CONTEXT)}EOF` }],
        ['bash', { command: "rg -n -A8 '^app.enabled' lib/application.js" }],
        ['bash', { command: `git apply <<'EOF' && git diff --stat\n${diffOf(CONTEXT)}EOF` }],
      ],
    },
    check: ({ read }) => [
      !read('lib/application.js').includes('return this.set(setting) === true;') && 'it is not applied',
    ],
  },
  {
    what: 'a patch whose lines have too little indentation, in Python',
    of: 'commander',
    prepare: (dir) => fs.writeFileSync(path.join(dir, 'counter.py'), PYTHON),
    steps: {
      jinn: [
        [
          'apply_patch',
          {
            patch: `*** Begin Patch\n*** Update File: counter.py\n@@\n ${LOOSE.before.join('\n ')}\n+${LOOSE.added}\n*** End Patch`,
          },
        ],
      ],
      bash: [
        [
          'bash',
          {
            command: `python3 - <<'EOF'\np='counter.py'; s=open(p).read()\nold='''${LOOSE.before.join('\n')}\n'''\nassert old in s, 'not there'\nopen(p,'w').write(s.replace(old, old+'''${LOOSE.added}\n'''))\nEOF`,
          },
        ],
        ['bash', { command: "rg -n -C1 'total \\+=' counter.py" }],
        [
          'bash',
          {
            command:
              "sed -i 's/^\\( *\\)total += item.size$/&\\n\\1self.seen += 1/' counter.py && rg -n -C1 'total \\+=' counter.py",
          },
        ],
      ],
      filesystem: [
        [
          'edit_file',
          {
            path: 'counter.py',
            edits: [{ oldText: LOOSE.before.join('\n'), newText: [...LOOSE.before, LOOSE.added].join('\n') }],
          },
        ],
      ],
    },
    check: ({ run }) => {
      const seen = run(`python3 -c '${PYTHON_CHECK}' 2>&1`).trim();
      return [seen !== '3' && `the program says ${seen.split('\n').at(-1)}`];
    },
  },
  {
    what: 'express: a git diff from elsewhere',
    of: 'express',
    steps: {
      jinn: [['apply_patch', { patch: DIFF }]],
      bash: [['bash', { command: `git apply <<'EOF' && git diff --stat\n${DIFF}EOF` }]],
      filesystem: [
        [
          'edit_file',
          {
            path: 'lib/utils.js',
            edits: [{ oldText: "    case 'strong':\n", newText: "    case 'strong':\n    case 'exact':\n" }],
          },
        ],
      ],
    },
    check: ({ run }) => [
      run("node -p \"require('./lib/utils').compileETag('exact').name\" 2>&1").includes('Error') &&
        'exact is not known',
    ],
  },
  {
    what: 'a cell of a notebook',
    of: 'commander',
    prepare: (dir) => fs.writeFileSync(path.join(dir, 'n.ipynb'), `${JSON.stringify(notebook(), null, 1)}\n`),
    steps: {
      jinn: [
        ['read_file', { path: 'n.ipynb' }],
        ['edit_file', { path: 'n.ipynb', cell: 2, old_text: 'limit = 10', new_text: 'limit = 20\nstep = 2' }],
      ],
      bash: [
        [
          'bash',
          {
            command:
              "python3 -c \"import json\nfor i,c in enumerate(json.load(open('n.ipynb'))['cells']): print(i,c['cell_type']); print(''.join(c['source']))\"",
          },
        ],
        [
          'bash',
          {
            command:
              "python3 - <<'EOF'\nimport json\nn=json.load(open('n.ipynb')); c=n['cells'][1]\nt=''.join(c['source']); assert 'limit = 10' in t\nc['source']=t.replace('limit = 10','limit = 20\\nstep = 2').splitlines(True)\njson.dump(n,open('n.ipynb','w'),indent=1)\nEOF",
          },
        ],
      ],
      filesystem: [
        ['read_text_file', { path: 'n.ipynb' }],
        [
          'edit_file',
          { path: 'n.ipynb', edits: [{ oldText: '"limit = 10\\n"', newText: '"limit = 20\\n",\n    "step = 2\\n"' }] },
        ],
      ],
    },
    check: ({ read }) => {
      const source = JSON.parse(read('n.ipynb')).cells[1].source.join('');
      return [source !== 'import os\nlimit = 20\nstep = 2\nprint(limit)' && `the cell is ${source}`];
    },
  },
];

function notebook() {
  const code = (source, text) => ({
    cell_type: 'code',
    execution_count: 1,
    metadata: {},
    outputs: [{ name: 'stdout', output_type: 'stream', text }],
    source,
  });
  const cells = [
    { cell_type: 'markdown', metadata: {}, source: ['# Figures\n', 'of a year'] },
    code(['import os\n', 'limit = 10\n', 'print(limit)'], ['10\n']),
    code(['print(sum(range(limit)))'], ['45\n']),
  ];
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
}
