/** Matches lines that declare something, in the most common languages. */
const DECLARATION = new RegExp(
  [
    String.raw`^\s{0,8}(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|type|enum|namespace)\b`,
    String.raw`^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function|class|[\w$]+\s*=>)`,
    String.raw`^\s{0,8}(?:pub|public|private|protected|internal|static|final|abstract|override|virtual|async|unsafe|extern|inline|constexpr|template|suspend|open|data|sealed)\b[^=;]*(?:\(|\{|\b(?:class|struct|enum|trait|interface|fn|fun|record)\b)`,
    String.raw`^\s{0,8}(?:async\s+)?(?:def|class|module)\s+\w`,
    String.raw`^\s{0,4}(?:fn|impl|trait|struct|enum|mod|union|macro_rules)\b`,
    String.raw`^(?:func|type|package|interface)\s`,
    String.raw`^\s{0,4}(?:fun|object|protocol|extension|sub)\s+\w`,
    String.raw`^[A-Za-z_][\w\s*&:<>,~]*\([^;]*\)\s*(?:const\s*)?\{`,
    String.raw`^#{1,6}\s+\S`,
    String.raw`^\s*(?:CREATE|ALTER)\s+(?:TABLE|VIEW|INDEX|FUNCTION|TYPE)\b`,
    String.raw`^\[[^\]]+\]\s*$`,
  ].join('|'),
);
const MAX_LINES = 200;
const MAX_LINE = 200;
const INDENT = 2;

/** Outlines a source: a sentence that says so, and the lines that declare something, each with its number. */
export function outlineOf(text: string): string {
  const lines = text.split('\n');
  const found: string[] = [];
  for (const [i, line] of lines.entries()) {
    if (found.length === MAX_LINES) break;
    if (line.length <= MAX_LINE && DECLARATION.test(line))
      found.push(`${' '.repeat(INDENT)}${i + 1}: ${line.trimEnd()}`);
  }
  return [`[outline: ${found.length} of ${lines.length} lines; the rest was left out for --max-tokens]`, ...found].join(
    '\n',
  );
}
