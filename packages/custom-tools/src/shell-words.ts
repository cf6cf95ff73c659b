/** Returns a command of `jinn tools` as a person types it into a shell. */
export function toolsCommand(command: string, ...words: readonly string[]): string {
  // A word that begins with a dash would be read as a flag.
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['jinn', 'tools', ...command.split(' '), ...end, ...words.map(quote)].join(' ');
}

function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
