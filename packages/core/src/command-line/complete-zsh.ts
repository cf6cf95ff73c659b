import type { Flag } from './command-spec.ts';
import type { Place } from './completion.ts';

/** Writes a completion for zsh, to be loaded by eval or found as a file of fpath. */
export function completeZsh(program: string, places: readonly Place[]): string {
  const name = `_${program}`;
  const steps = places.slice(1).map(({ path }) => `'${path}'`);
  const cases = places.map(
    (place) => `    '${place.path}')\n      _arguments -s -S ${specsOf(place).join(' \\\n        ')} ;;`,
  );
  return `#compdef ${program}
# Completes ${program} in zsh; ~/.zshrc takes it, behind compinit: eval "$(${program} completion zsh)"
${name}() {
  local place=${program} word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${steps.length === 0 ? "''" : steps.join(' | ')}) place="$place $word" ;;
    esac
  done
  case $place in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function specsOf({ flags, words, names }: Place): string[] {
  const files = names === 'file' ? '_files' : '_files -/';
  const action = words.size > 0 ? wordsOf(words) : names === undefined ? ' ' : files;
  // _arguments takes a command without a word of its own for a mistake, and completes nothing behind it.
  return [...Object.entries(flags).flatMap(([flag, spec]) => specOf(flag, spec)), `'*: :${action}'`];
}

function wordsOf(words: ReadonlyMap<string, string>): string {
  if ([...words.values()].every((about) => about === '')) return `(${[...words.keys()].map(protect).join(' ')})`;
  return `((${[...words].map(([word, about]) => `${protect(word)}\\:${quoteAbout(about)}`).join(' ')}))`;
}

function specOf(name: string, { about, short, value, optional, choices, names }: Flag): string[] {
  const action =
    names === undefined
      ? choices === undefined
        ? ' '
        : `(${choices.map(protect).join(' ')})`
      : names === 'file'
        ? '_files'
        : '_files -/';
  const colons = optional === undefined ? ':' : '::';
  const takes = value === undefined ? '' : `${colons}${protect(value)}:${action}`;
  const sign = value === undefined ? '' : optional === 'equals' ? '=-' : '=';
  const long = `'*--${name}${sign}[${protect(about)}]${takes}'`;
  return short === undefined
    ? [long]
    : [long, `'*-${short}${value === undefined ? '' : '+'}[${protect(about)}]${takes}'`];
}

/** Escapes the characters that mean something to _arguments and to the quotes around its specs. */
function protect(text: string): string {
  return text.replace(/[\\:[\]]/g, '\\$&').replaceAll("'", `'\\''`);
}

/** Quotes the description of a word, within the double parentheses of an action. */
function quoteAbout(text: string): string {
  return `"${text.replace(/[\\":`$]/g, '\\$&').replaceAll("'", `'\\''`)}"`;
}
