const SCHEMAS = 'src/v4/core/schemas.ts';

/** Tasks that are answered by reading and searching. */
export const questions = [
  {
    what: 'express: five questions about how it works',
    of: 'express',
    steps: {
      jinn: [
        ['search_files', { pattern: '\\.etag\\b|etagFn|generateETag', path: 'lib' }],
        ['read_file', { path: 'lib/utils.js', symbol: 'compileETag' }],
        ['search_files', { pattern: '^app\\.\\w+ = function', path: 'lib/application.js' }],
        ['read_file', { path: 'lib/application.js', symbol: 'app.handle' }],
        ['search_files', { pattern: 'trust proxy fn', path: 'lib', context_lines: 1 }],
        ['read_file', { path: 'lib/view.js', symbol: 'View.prototype.resolve' }],
      ],
      bash: [
        ['bash', { command: "rg -n '\\.etag\\b|etagFn|generateETag' lib" }],
        ['bash', { command: "sed -n '/^exports.compileETag/,/^}/p' lib/utils.js" }],
        ['bash', { command: "rg -n '^app\\.\\w+ = function' lib/application.js" }],
        ['bash', { command: "sed -n '/^app.handle/,/^}/p' lib/application.js" }],
        ['bash', { command: "rg -n -C1 'trust proxy fn' lib" }],
        ['bash', { command: "sed -n '/^View.prototype.resolve/,/^}/p' lib/view.js" }],
      ],
      filesystem: [
        ['list_directory', { path: 'lib' }],
        [
          'read_multiple_files',
          { paths: ['application', 'request', 'response', 'utils', 'view'].map((name) => `lib/${name}.js`) },
        ],
      ],
    },
    check: ({ saw }) => [
      !saw('fn = exports.wetag') && 'which ETag is the default',
      !saw('etagFn(chunk, encoding)') && 'who makes the ETag',
      !saw('app.defaultConfiguration = function') && 'what app declares',
      !saw('this.router.handle(req, res, done)') && 'what app.handle ends in',
      !saw('proxyaddr(this, trust)') && 'what req.ip comes from',
      !saw("'index' + ext") && 'where a view is looked up',
    ],
  },
  {
    what: 'zod: one function out of 5,226 lines',
    of: 'zod',
    steps: {
      jinn: [['read_file', { path: SCHEMAS, symbol: 'isValidJWT' }]],
      bash: [['bash', { command: `sed -n '/function isValidJWT/,/^}/p' ${SCHEMAS}` }]],
      filesystem: [['read_text_file', { path: SCHEMAS }]],
    },
    check: ({ saw }) => [!saw('tokensParts.length !== 3') && 'the function is not there'],
  },
  {
    what: 'commander: what its 2,803 lines of command.js declare',
    of: 'commander',
    steps: {
      jinn: [['read_file', { path: 'lib/command.js', outline: true }]],
      bash: [
        [
          'bash',
          { command: "rg -n '^(export )?(class|function) |^  (async |get |set )*\\w+\\(.*\\) \\{$' lib/command.js" },
        ],
      ],
      filesystem: [['read_text_file', { path: 'lib/command.js' }]],
    },
    check: ({ saw }) =>
      ['Command', 'createHelp', 'parseAsync', '_prepareUserArgs', 'addHelpText', 'useColor'].map(
        (name) => !saw(name) && `${name} is missing`,
      ),
  },
  {
    what: 'zod: which files of src mention ZodError, and how often',
    of: 'zod',
    steps: {
      jinn: [['search_files', { pattern: '\\bZodError\\b', path: 'src', format: 'filenames' }]],
      bash: [['bash', { command: 'rg -cw ZodError src' }]],
    },
    check: ({ saw, run }) =>
      run('rg -lw ZodError src')
        .split('\n')
        .filter(Boolean)
        .map((file) => !saw(file.split('/').at(-1)) && `${file} is missing`),
  },
  {
    what: 'hono: the functions of hono-base.js that call mergePath',
    of: 'hono',
    steps: {
      jinn: [['search_files', { pattern: 'mergePath\\(', path: 'dist/hono-base.js', symbols: true }]],
      bash: [['bash', { command: "rg -n 'mergePath\\(|^\\t\\S.*\\{$' dist/hono-base.js | rg -B1 mergePath" }]],
      filesystem: [['read_text_file', { path: 'dist/hono-base.js' }]],
    },
    check: ({ saw }) => ['basePath', 'mount', '#addRoute', 'request'].map((name) => !saw(name) && `${name} calls it`),
  },
  {
    what: 'express: who uses one of two names, in the dialect of grep',
    of: 'express',
    steps: {
      jinn: [
        ['search_files', { pattern: 'etagFn\\|compileETag', path: 'lib' }],
        ['search_files', { pattern: 'etagFn|compileETag', path: 'lib' }],
      ],
      bash: [['bash', { command: "grep -rn 'etagFn\\|compileETag' lib" }]],
    },
    check: ({ saw }) => [!saw("this.set('etag fn', compileETag(val))") && 'a use is missing'],
  },
  {
    what: 'commander: the heads of four files at once',
    of: 'commander',
    steps: {
      jinn: [
        [
          'multi_read',
          { files: ['argument', 'error', 'help', 'option'].map((name) => ({ path: `lib/${name}.js`, end_line: 12 })) },
        ],
      ],
      lean: [
        ['read_file', { path: ['argument', 'error', 'help', 'option'].map((name) => `lib/${name}.js`), end_line: 12 }],
      ],
      bash: [['bash', { command: 'head -n 12 lib/{argument,error,help,option}.js' }]],
      filesystem: [
        ['read_text_file', { path: 'lib/argument.js', head: 12 }],
        ['read_text_file', { path: 'lib/error.js', head: 12 }],
        ['read_text_file', { path: 'lib/help.js', head: 12 }],
        ['read_text_file', { path: 'lib/option.js', head: 12 }],
      ],
    },
    check: ({ saw }) =>
      [
        'class Argument',
        'class CommanderError',
        'import { humanReadableArgName }',
        'import { InvalidArgumentError }',
      ].map((text) => !saw(text) && `${text} is missing`),
  },
];
