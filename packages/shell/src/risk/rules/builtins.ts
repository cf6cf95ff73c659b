import type { Rule } from '../rule.ts';

/** Commands that are bash itself. */
export const BUILTINS: readonly Rule[] = [
  {
    verb: 'alias unalias hash bind complete compopt enable fc trap eval source .',
    risk: 'caution',
    reason: 'changes what later commands mean',
  },
  {
    verb: 'printf test [ read unset let declare typeset local export readonly mapfile readarray wait',
    argument: /\[[^[\]]*(\$\(|`|\$\{)/,
    risk: 'dangerous',
    reason: 'runs the command in an array subscript',
  },
  {
    verb: 'unset',
    argument: /^HIST(FILE|SIZE|FILESIZE)$/,
    risk: 'caution',
    reason: 'keeps what follows out of the history',
  },
  { verb: 'enable', option: '-f', risk: 'dangerous', reason: 'loads code into the shell' },
  { verb: 'hash', option: '-p', risk: 'dangerous', reason: 'lets a name stand for another program' },
  { verb: 'bind', option: '-x', risk: 'dangerous', reason: 'has a key run a command' },
  { verb: 'complete compgen', option: '-C -F', risk: 'dangerous', reason: 'runs a command to complete words' },
  { verb: 'compgen complete', argument: /\$\(|`/, risk: 'dangerous', reason: 'runs the command in its word list' },
  { verb: 'mapfile readarray', option: '-C', risk: 'dangerous', reason: 'runs a command on every line' },
  { verb: 'fc', option: '-s -e', risk: 'dangerous', reason: 'runs commands again' },
  { verb: 'fc', without: '-l', risk: 'dangerous', reason: 'runs commands again' },
  { verb: 'history', option: '-c -d -w -r -a -n -p', risk: 'caution', reason: 'changes the history' },
  {
    verb: 'shopt',
    option: '-s -u',
    argument: /^(?!-|(?:extglob|globstar|nullglob|dotglob|failglob|nocaseglob|nocasematch|inherit_errexit|lastpipe)$)/,
    risk: 'caution',
    reason: 'changes what later commands mean',
  },
];
