import type { Place } from './completion.ts';

/** Writes a completion for fish. */
export function completeFish(program: string, places: readonly Place[]): string {
  const where = `__${program.replaceAll('-', '_')}_place`;
  const steps = places.slice(1).map(({ path }) => quote(path));
  const lines = places.flatMap((place) =>
    linesOf(place, `complete -c ${program} -n 'test (${where}) = "${place.path}"'`),
  );
  const follow =
    steps.length === 0
      ? ''
      : `  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${steps.join(' ')}
        set place "$place $word"
    end
  end
`;
  return `# Completes ${program} in fish; put it into ~/.config/fish/completions/${program}.fish
function ${where}
  set -l place ${program}
${follow}  echo $place
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function linesOf({ flags, words, names }: Place, begin: string): string[] {
  const ofFlags = Object.entries(flags).map(([flag, { about, short, value, optional, choices, names: named }]) => {
    const forms = `${short === undefined ? '' : ` -s ${short}`} -l ${flag}`;
    // In fish, the next word is the value with -r and -x; with -x, files are not offered for it.
    const takes = value === undefined ? '' : optional !== undefined ? '' : named === 'file' ? ' -r' : ' -x';
    const from =
      named === undefined
        ? choices === undefined
          ? ''
          : ` -a ${quote(choices.join(' '))}`
        : named === 'file'
          ? ' -F'
          : ` -a '(__fish_complete_directories)'`;
    return `${begin}${forms}${takes}${from} -d ${quote(about)}`;
  });
  const ofWords = [...words].map(([word, about]) => `${begin} -a ${quote(word)} -d ${quote(about)}`);
  const ofNames =
    names === undefined ? [] : [`${begin} ${names === 'file' ? '-F' : `-a '(__fish_complete_directories)'`}`];
  return [...ofFlags, ...ofWords, ...ofNames];
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
