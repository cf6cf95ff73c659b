import type { Place } from './completion.ts';

/** Writes a completion that needs nothing but bash. */
export function completeBash(program: string, places: readonly Place[]): string {
  const name = `_${program.replaceAll('-', '_')}`;
  const steps = places.slice(1).map(({ path }) => `'${path}'`);
  const values = places.flatMap((place) => valuesOf(place, name));
  const words = places.map(
    ({ path, flags, words: known, names }) =>
      `    '${path}')\n      words='${[...known.keys()].join(' ')}' flags='${Object.keys(flags)
        .map((flag) => `--${flag}`)
        .join(' ')}' names=${names ?? 'none'} ;;`,
  );
  return `# Completes ${program} in bash; ~/.bashrc takes it: eval "$(${program} completion bash)"
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place=${program} word i words='' flags='' names=none
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$place $word" in
      ${steps.length === 0 ? "''" : steps.join(' | ')}) place="$place $word" ;;
    esac
  done
  # bash takes = for a word of its own.
  local has_value=
  if [[ $cur == = ]]; then has_value=1 cur=; elif [[ $prev == = ]]; then has_value=1 prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$place $prev\${has_value:+=}" in
${values.join('\n')}
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

/** Writes the values of flags by place and flag, with = if only that may stand between flag and value. */
function valuesOf({ path, flags }: Place, name: string): string[] {
  return Object.entries(flags).flatMap(([flag, { value, optional, choices, names }]) => {
    if (value === undefined) return [];
    const patterns = [`'${path} --${flag}='`];
    if (optional === undefined || (optional === 'word' && choices !== undefined))
      patterns.unshift(`'${path} --${flag}'`);
    const option = names === undefined ? `-W '${(choices ?? []).join(' ')}'` : names === 'file' ? '-f' : '-d';
    const paths = names === undefined ? '' : ' compopt -o filenames 2>/dev/null;';
    return [`    ${patterns.join(' | ')}) ${name}_take < <(compgen ${option} -- "$cur");${paths} return ;;`];
  });
}
