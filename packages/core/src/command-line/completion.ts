import { type CommandSpec, type Flag, type FlagTable, SHELLS } from './command-spec.ts';
import { choose } from './parsed-flags.ts';

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (program: string, steps: readonly Step[]) => string>> = {
  bash: completeBash,
  zsh: completeZsh,
  fish: completeFish,
};

const PATHS = {
  bash: { file: '-f', directory: '-d' },
  zsh: { file: '_files', directory: '_files -/' },
  fish: { file: '-F', directory: `-a '(__fish_complete_directories)'` },
} as const;

interface Step {
  readonly path: string;
  readonly flags: FlagTable;
  readonly words: ReadonlyMap<string, string>;
  readonly names: Flag['names'];
}

/** Returns the script that completes a program in a shell. Throws FlagError for another shell. */
export function completionScript(shell: string, program: string, spec: CommandSpec): string {
  return SCRIPTS[choose('completion', SHELLS, shell)](program, stepsOf(program, spec));
}

function stepsOf(path: string, { flags, commands = {}, words }: CommandSpec): Step[] {
  const isNamed = words === 'file' || words === 'directory';
  const known = [
    ...Object.entries(commands).map(([word, { about }]) => [word, about] as const),
    ...(isNamed || words === undefined ? [] : words.map((word) => [word, ''] as const)),
  ];
  const step = { path, flags, words: new Map(known), names: isNamed ? words : undefined };
  return [step, ...Object.entries(commands).flatMap(([word, command]) => stepsOf(`${path} ${word}`, command))];
}

function patternsOf(steps: readonly Step[]): string {
  const patterns = steps.slice(1).map(({ path }) => `'${path}'`);
  return patterns.length === 0 ? "''" : patterns.join(' | ');
}

function completeBash(program: string, steps: readonly Step[]): string {
  const name = `_${program.replaceAll('-', '_')}`;
  const words = steps.map(({ path, flags, words: known, names = 'none' }) => {
    const long = Object.keys(flags).map((flag) => `--${flag}`);
    return `    '${path}')\n      words='${[...known.keys()].join(' ')}' flags='${long.join(' ')}' names=${names} ;;`;
  });
  return `# Completes ${program} in bash. Line for ~/.bashrc: eval "$(${program} completion bash)"
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place=${program} word i words='' flags='' names=none
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$place $word" in
      ${patternsOf(steps)}) place="$place $word" ;;
    esac
  done
  # bash takes = for a word of its own.
  local has_value=
  if [[ $cur == = ]]; then has_value=1 cur=; elif [[ $prev == = ]]; then has_value=1 prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$place $prev\${has_value:+=}" in
${steps.flatMap((step) => bashValues(step, name)).join('\n')}
  esac
  case $place in
${words.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    ${name}_take < <(compgen -W "$flags" -- "$cur")
    return
  fi
  ${name}_take < <(
    compgen -W "$words" -- "$cur"
    case $names in file) compgen -f -- "$cur" ;; directory) compgen -d -- "$cur" ;; esac
  )
  [[ $names == none ]] || compopt -o filenames 2>/dev/null
}
# The bash of macOS has no mapfile.
${name}_take() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
complete -F ${name} ${program}
`;
}

function bashValues({ path, flags }: Step, name: string): string[] {
  return Object.entries(flags).flatMap(([flag, { value, optional, choices = [], names }]) => {
    if (value === undefined) return [];
    const isNextWord = optional === undefined || (optional === 'word' && choices.length > 0);
    const patterns = [...(isNextWord ? [`'${path} --${flag}'`] : []), `'${path} --${flag}='`];
    const option = names === undefined ? `-W '${choices.join(' ')}'` : PATHS.bash[names];
    const paths = names === undefined ? '' : ' compopt -o filenames 2>/dev/null;';
    return [`    ${patterns.join(' | ')}) ${name}_take < <(compgen ${option} -- "$cur");${paths} return ;;`];
  });
}

function completeZsh(program: string, steps: readonly Step[]): string {
  const name = `_${program}`;
  const cases = steps.map(
    (step) => `    '${step.path}')\n      _arguments -s -S ${zshSpecs(step).join(' \\\n        ')} ;;`,
  );
  return `#compdef ${program}
# Completes ${program} in zsh. Line for ~/.zshrc, after compinit: eval "$(${program} completion zsh)"
${name}() {
  local place=${program} word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${patternsOf(steps)}) place="$place $word" ;;
    esac
  done
  case $place in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function zshSpecs({ flags, words, names }: Step): string[] {
  const paths = names === undefined ? ' ' : PATHS.zsh[names];
  // _arguments takes a command without a word of its own for a mistake, and completes nothing after it.
  const rest = `'*: :${words.size > 0 ? zshWords([...words]) : paths}'`;
  return [...Object.entries(flags).flatMap(([flag, spec]) => zshFlag(flag, spec)), rest];
}

function zshWords(words: readonly (readonly [word: string, about: string])[]): string {
  if (words.every(([, about]) => about === '')) return `(${words.map(([word]) => protect(word)).join(' ')})`;
  const described = words.map(([word, about]) => {
    const quoted = about.replace(/[\\":`$]/g, '\\$&').replaceAll("'", `'\\''`);
    return `${protect(word)}\\:"${quoted}"`;
  });
  return `((${described.join(' ')}))`;
}

function zshFlag(name: string, { about, short, value, optional, choices, names }: Flag): string[] {
  const known = choices === undefined ? ' ' : `(${choices.map(protect).join(' ')})`;
  const action = names === undefined ? known : PATHS.zsh[names];
  const takes = value === undefined ? '' : `${optional === undefined ? ':' : '::'}${protect(value)}:${action}`;
  const sign = value === undefined ? '' : optional === 'equals' ? '=-' : '=';
  const rest = `[${protect(about)}]${takes}'`;
  const long = `'*--${name}${sign}${rest}`;
  return short === undefined ? [long] : [long, `'*-${short}${value === undefined ? '' : '+'}${rest}`];
}

function protect(text: string): string {
  return text.replace(/[\\:[\]]/g, '\\$&').replaceAll("'", `'\\''`);
}

function completeFish(program: string, steps: readonly Step[]): string {
  const where = `__${program.replaceAll('-', '_')}_place`;
  const patterns = steps.slice(1).map(({ path }) => quote(path));
  const follow = `  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${patterns.join(' ')}
        set place "$place $word"
    end
  end
`;
  const lines = steps.flatMap((step) => {
    const start = `complete -c ${program} -n 'test (${where}) = "${step.path}"'`;
    return fishOptions(step).map((option) => `${start}${option}`);
  });
  return `# Completes ${program} in fish. Put it into ~/.config/fish/completions/${program}.fish
function ${where}
  set -l place ${program}
${patterns.length === 0 ? '' : follow}  echo $place
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function fishOptions({ flags, words, names }: Step): string[] {
  const ofFlags = Object.entries(flags).map(([flag, { about, short, value, optional, choices, names: named }]) => {
    const forms = `${short === undefined ? '' : ` -s ${short}`} -l ${flag}`;
    // In fish, the next word is the value with -r and -x. With -x, files are not offered for it.
    const takes = value === undefined || optional !== undefined ? '' : named === 'file' ? ' -r' : ' -x';
    const known = choices === undefined ? '' : ` -a ${quote(choices.join(' '))}`;
    return `${forms}${takes}${named === undefined ? known : ` ${PATHS.fish[named]}`} -d ${quote(about)}`;
  });
  const ofWords = [...words].map(([word, about]) => ` -a ${quote(word)} -d ${quote(about)}`);
  return [...ofFlags, ...ofWords, ...(names === undefined ? [] : [` ${PATHS.fish[names]}`])];
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
