import { nearestName } from '../../errors/index.ts';
import { ALIASES, CONVERSIONS, type Names, RELATED } from './other-agents.ts';

/** Returns the argument that another name or spelling stands for, such as `filePath` for `path`. */
export function ownName(name: string, names: readonly string[]): string | undefined {
  const plain = toPlain(name);
  return names.find((own) => own === plain) ?? lookUp(ALIASES, plain, names);
}

/** Returns the conversions of an argument of other tools for a tool with these arguments. */
export function conversionsOf(name: string, names: readonly string[]) {
  const plain = toPlain(name);
  return CONVERSIONS.filter(
    ({ names: others, needs }) =>
      others.split(' ').includes(plain) && names.includes(needs) && (needs === plain || !names.includes(plain)),
  );
}

/** Returns the argument that an unknown one most likely stands for. */
export function nearestArgument(unknown: string, names: readonly string[]): string | undefined {
  return (
    ownName(unknown, names) ??
    conversionsOf(unknown, names)[0]?.needs ??
    lookUp(RELATED, toPlain(unknown), names) ??
    nearestName(unknown, names)
  );
}

/** Returns `filePath` as `file_path`; a letter after a dash is a flag and stays. */
export function toPlain(name: string): string {
  return name.length > 2 ? name.replace(/[a-z](?=[A-Z])/g, '$&_').toLowerCase() : name;
}

function lookUp(table: Names, name: string, names: readonly string[]): string | undefined {
  return Object.keys(table).find((own) => names.includes(own) && table[own]?.split(' ').includes(name));
}
