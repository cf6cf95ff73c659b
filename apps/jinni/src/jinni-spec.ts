import { ENCODINGS } from '@jinn/context/tokens';
import type { CommandSpec, Flag } from '@jinn/core/command-line';

export const FORMAT_NAMES = ['fences', 'xml', 'markdown', 'json'] as const;
/** `exact` is o200k. */
export const MODES = ['fast', 'exact', ...ENCODINGS] as const;
export const SECRET_MODES = ['omit', 'warn', 'fail'] as const;
export const SORTS = ['path', 'change'] as const;
export const LEVELS = ['whole', 'compress', 'outline'] as const;

export const JINNI_FLAGS = {
  root: { about: 'paths begin at this directory', short: 'r', value: 'DIR', names: 'directory' },
  output: { about: 'write to this file', short: 'o', value: 'FILE', names: 'file' },
  'list-only': { about: 'print the paths only', short: 'l' },
  'list-token': { about: 'print the tokens of each file', short: 'L' },
  size: { about: 'with --list-only: print the sizes', short: 'S' },
  'size-limit-mb': { about: 'stop beyond so many megabytes', short: 's', value: 'N' },
  overrides: { about: 'rules that win over all others', value: 'FILE', names: 'file' },
  not: { about: 'leave out kinds of files, such as tests or docs, or any name', value: 'WORDS', isList: true },
  'not-in': { about: 'the same below a directory', value: 'DIR:WORDS', isList: true },
  'not-files': { about: 'leave out files by pattern', value: 'GLOB', isList: true },
  'keep-only': { about: 'take nothing but these names', value: 'NAMES', isList: true },
  include: { about: 'take nothing but these globs', value: 'GLOBS', isList: true },
  'no-defaults': { about: 'without the built-in rules' },
  format: { about: 'how the document is written', value: 'FORMAT', choices: FORMAT_NAMES },
  tree: { about: 'put a tree at the head, or list one' },
  summary: { about: 'put a summary at the head' },
  tokens: { about: 'how tokens are counted', value: 'HOW', optional: 'word', choices: MODES },
  'max-tokens': { about: 'fit the document to a budget, such as 60k', value: 'N' },
  focus: { about: 'what matters for the task, a path or a name', value: 'TEXT' },
  explain: { about: 'say why each file was chosen for a budget' },
  outline: {
    about: 'outlines instead of content, of all files or some',
    value: 'GLOB',
    optional: 'word',
    isList: true,
  },
  level: { about: `how much of some files is written: ${LEVELS.join(', ')}`, value: 'GLOB:LEVEL', isList: true },
  'remove-comments': { about: 'leave out comments' },
  'remove-empty-lines': { about: 'leave out empty lines' },
  'split-output': { about: 'write parts of this size', value: 'SIZE' },
  'header-text': { about: 'put a text at the head', value: 'TEXT' },
  prompt: { about: 'put the text of a file at the head', value: 'FILE', names: 'file' },
  secrets: { about: 'what becomes of lines with secrets', value: 'WHAT', choices: SECRET_MODES },
  'cut-base64': { about: 'cut long encoded data' },
  'raw-notebooks': { about: 'write notebooks as JSON instead of cells' },
  sort: { about: 'the order of the files', value: 'ORDER', choices: SORTS },
  'git-log': { about: 'put so many commits at the head', value: 'N' },
  remote: { about: 'clone owner/name or a URL instead', value: 'REPO' },
  profile: { about: 'take the settings of this name', value: 'NAME' },
  'ignore-config': { about: 'take no settings from a file' },
  compress: { about: 'leave out the bodies of functions' },
  'line-numbers': { about: 'number the lines' },
  changed: { about: 'only what changed since HEAD left a commit, or in A..B', value: 'REF', optional: 'word' },
  diff: { about: 'put the changes at the head' },
  stdin: { about: 'read more paths from standard input' },
  'debug-explain': { about: 'say which rule decided on each file' },
  'no-copy': { about: 'do not copy' },
  clip: { about: 'copy, and do not print' },
  stdout: { about: 'print what is long to a terminal too' },
  watch: { about: 'write again at each change' },
  init: { about: 'write a file of settings to begin with' },
  schema: { about: 'print the schema of that file' },
  usage: { about: 'say how files are chosen' },
  version: { about: 'print the version', short: 'v' },
  help: { about: 'print the help', short: 'h' },
} as const satisfies Record<string, Flag>;

export type JinniFlagName = keyof typeof JINNI_FLAGS;

export const JINNI_SPEC: CommandSpec = {
  about: 'a project as one document, ready to paste',
  usage: '[OPTIONS] [PATH...]\ncompletion bash|zsh|fish',
  flags: JINNI_FLAGS,
  words: 'file',
  text: `Prints the files below this directory, or those of the paths, as one document, and copies it. What .gitignore, .contextfiles and
built-in rules leave out is not in it.

  jinni -l --not tests src
  jinni --no-copy -o all.md --format markdown --tree src docs/README.md
  jinni --changed main --diff --max-tokens 60k

The exit status is 0, 1 for an error, and 2 for flags that jinni does not know.`,
};
