/** A program that can change files in place. */
export interface Editor {
  readonly inPlace: RegExp;
  /** Options that give the program text. Without one it is the first operand. */
  readonly program: string;
  /** Other options that take the next word. */
  readonly valued: string;
  /** The start of a cluster, up to a letter that takes the rest of the word. */
  readonly attached?: RegExp;
}

export const AWK: Editor = {
  inPlace: /inplace(\.awk)?$/,
  program: '-e -f -E --source --file --exec',
  valued: '-F -v -i -l --field-separator --assign --include --load',
};

/** `-l` takes a word or none, by the system, and so is missing. */
export const SED: Editor = {
  inPlace: /^(-[abElnrsuz]*[iI]|--in?(-|=|$))/,
  program: '-e -f --expression --file',
  valued: '',
  attached: /^(-[abElnrsuz]*i).*/s,
};

export const EDITORS: Readonly<Record<string, Editor>> = {
  sed: SED,
  perl: { inPlace: /^-\w*i/, program: '-e -E', valued: '-I -M -m', attached: /^(-\w*?[iFxDdCV]).*/s },
  ruby: { inPlace: /^-\w*i/, program: '-e', valued: '-I -r -C -E', attached: /^(-\w*?[iFxKTW]).*/s },
  yq: { inPlace: /^(-[A-Za-z]*i|--in-?p)/, program: '-f --expression --from-file', valued: '' },
  awk: AWK,
  gawk: AWK,
};

/** Returns the arguments without what is attached to an option, as the suffix `e` in `-ie`. */
export function withoutAttached(args: readonly string[], { attached }: Pick<Editor, 'attached'>): readonly string[] {
  return attached ? args.map((arg) => arg.replace(attached, '$1')) : args;
}
