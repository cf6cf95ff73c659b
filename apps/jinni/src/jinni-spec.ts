import { ENCODINGS } from '@jinn/context/tokens';
import type { CommandSpec, Flag } from '@jinn/core/command-line';

export const FORMAT_NAMES = ['fences', 'xml', 'markdown', 'json'] as const;
/** `exact` is o200k. */
export const MODES = ['fast', 'exact', ...ENCODINGS] as const;
export const SECRET_MODES = ['omit', 'warn', 'fail'] as const;
export const SORTS = ['path', 'change'] as const;
export const LEVELS = ['whole', 'compress', 'outline'] as const;

export const JINNI_FLAGS = {
  root: { about: 'Use this directory as the root of paths and rules', short: 'r', value: 'DIR', names: 'directory' },
  output: { about: 'Write to this file', short: 'o', value: 'FILE', names: 'file' },
  'list-only': { about: 'Print only the paths', short: 'l' },
  'list-token': { about: 'Print the tokens of each file', short: 'L' },
  size: { about: 'With --list-only: print sizes', short: 'S' },
  'size-limit-mb': { about: 'Stop above this size in MB (default: 100)', short: 's', value: 'N' },
  overrides: { about: 'Read rules that win over all others', value: 'FILE', names: 'file' },
  not: { about: 'Exclude kinds of files, such as tests or docs, or any name', value: 'WORDS', isList: true },
  'not-in': { about: 'Exclude them below a directory', value: 'DIR:WORDS', isList: true },
  'not-files': { about: 'Exclude files by pattern', value: 'GLOB', isList: true },
  'keep-only': { about: 'Include only these names', value: 'NAMES', isList: true },
  include: { about: 'Include only these globs', value: 'GLOBS', isList: true },
  'include-from': {
    about: 'Include only the globs in the lines of a file, or of standard input (-)',
    value: 'FILE',
    isList: true,
    names: 'file',
  },
  'no-defaults': { about: 'Do not apply the built-in rules' },
  format: { about: 'Format of the document', value: 'FORMAT', choices: FORMAT_NAMES },
  tree: { about: 'Add a tree at the start, or list one' },
  summary: { about: 'Add a summary at the start' },
  tokens: { about: 'Count tokens in this way', value: 'HOW', optional: 'word', choices: MODES },
  'max-tokens': { about: 'Fit the document to this many tokens, such as 60k', value: 'N' },
  focus: { about: 'Put first what matters for a task, path or name', value: 'TEXT' },
  explain: { about: 'Print why each file was chosen' },
  outline: {
    about: 'Write outlines instead of content, for all files or a glob',
    value: 'GLOB',
    optional: 'word',
    isList: true,
  },
  level: { about: `Write files of a glob as: ${LEVELS.join(', ')}`, value: 'GLOB:LEVEL', isList: true },
  'remove-comments': { about: 'Remove comments' },
  'remove-empty-lines': { about: 'Remove empty lines' },
  'split-output': { about: 'Write parts of this size, such as 2mb', value: 'SIZE' },
  'header-text': { about: 'Add a text at the start', value: 'TEXT' },
  prompt: { about: 'Add the text of a file at the start', value: 'FILE', names: 'file' },
  secrets: { about: 'Handle lines with secrets: omit (default), warn or fail', value: 'WHAT', choices: SECRET_MODES },
  'cut-base64': { about: 'Cut long base64 data' },
  'raw-notebooks': { about: 'Write notebooks as JSON instead of cells' },
  sort: { about: 'Order of the files', value: 'ORDER', choices: SORTS },
  'git-log': { about: 'Add the last N commits at the start', value: 'N' },
  remote: { about: 'Clone owner/name or a URL, and use that', value: 'REPO' },
  profile: { about: 'Use the settings of this name', value: 'NAME' },
  'ignore-config': { about: 'Ignore settings files' },
  compress: { about: 'Omit the bodies of functions' },
  'line-numbers': { about: 'Number the lines' },
  'show-encoding': { about: 'Name the encoding of files that are not UTF-8' },
  changed: { about: 'Include only changes since the merge base with REF, or in A..B', value: 'REF', optional: 'word' },
  diff: { about: 'Add the diff at the start' },
  stdin: { about: 'Read more paths from standard input' },
  'debug-explain': { about: 'Print which rule decided on each file' },
  'no-copy': { about: 'Do not copy' },
  clip: { about: 'Copy, and do not print' },
  stdout: { about: 'Print long documents to a terminal too' },
  watch: { about: 'Write again after each change' },
  init: { about: 'Write a first settings file' },
  schema: { about: 'Print the schema of the settings file' },
  usage: { about: 'Print how files are chosen' },
  version: { about: 'Print the version', short: 'v' },
  help: { about: 'Print the help', short: 'h' },
} as const satisfies Record<string, Flag>;

export type JinniFlagName = keyof typeof JINNI_FLAGS;

export const JINNI_SPEC: CommandSpec = {
  about: 'a project as one document, ready to paste',
  usage: '[OPTIONS] [PATH...]\ncompletion bash|zsh|fish',
  flags: JINNI_FLAGS,
  words: 'file',
  text: `Prints the files below this directory, or those of the paths, as one document, and copies it. .gitignore, .ignore,
.contextfiles and built-in rules exclude files.

  jinni -l --not tests src
  jinni --no-copy -o all.md --format markdown --tree src docs/README.md
  jinni --changed main --diff --max-tokens 60k

The exit status is 0, 1 for an error, and 2 for flags that jinni does not know.`,
};
