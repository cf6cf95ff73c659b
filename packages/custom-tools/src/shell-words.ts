import { toVisible } from '@jinn/core/text';

/** Returns a command of `jinn tools` as the user types it into a shell. */
export function toolsCommand(command: string, ...words: readonly string[]): string {
  return shellCommand(`jinn tools ${command}`, ...words);
}

/** Returns a command with some words after it as the user types it into a shell. */
export function shellCommand(command: string, ...words: readonly string[]): string {
  // A word that starts with a dash would be read as a flag.
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return [command, ...end, ...words.map(quote)].join(' ');
}

function quote(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  return toVisible(word) === word
    ? `'${word.replaceAll("'", `'\\''`)}'`
    : `$'${Array.from(Buffer.from(word), toShell).join('')}'`;
}

/** Returns a byte as it is written between $' and ', so that the user sees what they paste. */
function toShell(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[ -~]/.test(character) && !/['\\]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
}
