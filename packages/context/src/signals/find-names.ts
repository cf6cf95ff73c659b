const SEARCHED = 256 * 1024;
/** A shorter name is too common to show where it is declared. */
const LEAST_NAME = 4;
const MOST_NAME = 60;

const MODIFIERS =
  'export|default|declare|public|private|protected|internal|static|final|abstract|sealed|open|async|pub(?:\\([^)\\n]{0,40}\\))?|unsafe|extern|inline|data|case|partial|override|virtual|const';
const KEYWORDS =
  'class|interface|struct|enum|trait|type|def|defp|defmodule|defmacro|func|fun|fn|function\\*?|object|protocol|module|union|macro_rules!|record|namespace';
const DECLARED = new RegExp(
  `^[ \\t]*(?:(?:${MODIFIERS})[ \\t]+){0,6}(?:${KEYWORDS})[ \\t]+(?:\\([^)\\n]{0,80}\\)[ \\t]*)?(?:self\\.)?([A-Za-z_$][\\w$]{${LEAST_NAME - 1},${MOST_NAME}})`,
  'gm',
);
/** Values at the top of a file, and assignments to exports and prototypes. */
const ASSIGNED = new RegExp(
  `^(?:(?:export[ \\t]+)?(?:const|let|var|val)[ \\t]+|(?:module\\.)?exports\\.|[A-Za-z_$][\\w$]{0,${MOST_NAME}}\\.(?:prototype\\.)?)([A-Za-z_$][\\w$]{${LEAST_NAME - 1},${MOST_NAME}})[ \\t]*(?::[^=\\n]{0,80})?=`,
  'gm',
);
const C_SOURCE = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm)$/;
const IN_C = new RegExp(
  `^(?:#[ \\t]*define[ \\t]+|[A-Za-z_][\\w \\t*]{0,80}[ \\t*])([A-Za-z_]\\w{${LEAST_NAME - 1},${MOST_NAME}})[ \\t]*\\(`,
  'gm',
);

export interface SourceNames {
  readonly declared: ReadonlySet<string>;
  /** The hashes of all names in it, as `hashName` makes them. */
  readonly used: ReadonlySet<number>;
}

/** Finds the names in a source file without a parser. The patterns are bounded: they take time that is linear in the text. */
export function findNames(path: string, content: Buffer): SourceNames {
  const text = content.toString('latin1', 0, SEARCHED);
  const declared = new Set<string>();
  for (const pattern of C_SOURCE.test(path) ? [DECLARED, IN_C] : [DECLARED, ASSIGNED]) {
    for (const [, name] of text.matchAll(pattern)) if (name !== undefined) declared.add(name);
  }
  return { declared, used: hashNames(content) };
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const IN_NAMES = Uint8Array.from({ length: 256 }, (_, byte) => (/[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0));

function hashNames(content: Buffer): Set<number> {
  const hashes = new Set<number>();
  const end = Math.min(content.length, SEARCHED);
  let hash = FNV_OFFSET;
  let length = 0;
  for (let i = 0; i < end; i++) {
    const byte = content[i] as number;
    if (IN_NAMES[byte]) {
      hash = Math.imul(hash ^ byte, FNV_PRIME);
      length++;
    } else if (length > 0) {
      if (length >= LEAST_NAME) hashes.add(hash);
      hash = FNV_OFFSET;
      length = 0;
    }
  }
  if (length >= LEAST_NAME) hashes.add(hash);
  return hashes;
}

export function hashName(name: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), FNV_PRIME);
  return hash;
}
