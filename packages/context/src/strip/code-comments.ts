import type { TextPart } from '@jinn/syntax';

const SCRIPT = /^\/\/\/\s*<|^\/\*[\s*]*(?:@jsx|webpack\w+:|@vite-ignore|:|flow-include\b)/;
const JBANG = /^\/\/(?:(?:DEPS|REPOS|SOURCES|FILES|JAVA|KOTLIN|GAV|[A-Z]+_OPTIONS)\b|\/?usr\/bin\/env )/;
const MARKUP = new RegExp(`^<!--\\s*(?:\\[if|<!\\[|#\\w|/?ko\\b)|${SCRIPT.source}`, 'i');

/** Comments that a compiler, a database or another program reads. */
const CODE: Readonly<Record<string, RegExp>> = {
  bash: /^#(?:SBATCH|PBS|BSUB|FLUX)\b|^#\$ -/,
  dart: /^\/\/\s*@dart\b/,
  dockerfile: /^#\s*(?:syntax|escape|check)\s*=/i,
  go: /^\/\/(?:[a-z\d]+:[a-z\d]|(?:line|export|extern) |\s*\+build )|^\/\*line /,
  graphql: /^#\s*import\s/,
  haskell: /^\{-#|^(?:--|\{-)\s*(?:stack script|cabal:)/,
  html: MARKUP,
  java: JBANG,
  javascript: SCRIPT,
  kotlin: JBANG,
  lua: /^--!\w/,
  php: /^\/\*\*[\s\S]*?@[A-Z]/,
  ruby: /^#[\s*-]*(?:frozen[_-]string[_-]literal|(?:en)?coding|warn[_-]indent|shareable[_-]constant[_-]value)\s*[:=]/i,
  scala: /^\/\/> using\b/,
  solidity: /^\/[/*][\s*/]*(?:SPDX-License-Identifier:|@solidity\b)/,
  sql: /^\/\*(?:\+|M?!)|^--\+|^--\s*(?:\+\w|name:|migrate:|liquibase |changeset )/,
  svelte: MARKUP,
  swift: /^\/\/\s*swift-tools-version\b/,
  tsx: SCRIPT,
  typescript: SCRIPT,
  vue: MARKUP,
  yaml: /^#cloud-config\b/,
};
const PYTHON_CODING = /^#.*?coding[:=][ \t]*[-\w.]/;
const SCRIPT_BLOCK = /^# \/\/\/(?: [\w-]+)?$/;
const IMPORT_C = /[ \t]*\r?\n?[ \t]*(?:import\s*(?:\(\s*)?)?"C"/y;
const ONE_LINE_END = /^[ \t]*\r?\n[ \t]*$/;
/** The tokens of CSS that decide what a comment is. An address without quotes may have `/*` in it. */
const CSS_TOKENS =
  /\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|"(?:\\[\s\S]|[^"\\\n])*|'(?:\\[\s\S]|[^'\\\n])*|\burl\(\s*(?!["'\s])(?:\\[\s\S]|[^\\)])*/gi;
const IN_ADDRESS = /\burl\(\s*[^\s"')]{0,2000}$/i;

type Range = Pick<TextPart, 'start' | 'end'>;

/** Returns the comments that only a reader needs, and no directives or pragmas. `text` has one character for each byte. */
export function removableComments(text: string, language: string, parts: readonly TextPart[]): readonly Range[] {
  if (language === 'css') {
    const tokens = [...text.matchAll(CSS_TOKENS)].filter(([token]) => token.startsWith('/*'));
    return tokens.map(({ 0: token, index }) => ({ start: index, end: index + token.length }));
  }
  const comments = parts
    .filter(({ kind }) => kind === 'comment')
    .map(({ start, end }) => ({ start, end: start + text.slice(start, end).trimEnd().length }));
  const blocks = language === 'go' ? cgoPreambles(text, comments) : scriptBlocks(text, language, comments);
  return comments.filter(({ start, end }, i) => {
    const comment = text.slice(start, end);
    if (blocks.has(i) || CODE[language]?.test(comment) || (start === 0 && comment.startsWith('#!'))) return false;
    if (language === 'python' && PYTHON_CODING.test(comment)) return text.slice(0, start).split('\n').length > 2;
    return !(CODE[language] === MARKUP && IN_ADDRESS.test(text.slice(Math.max(0, start - 2_010), start)));
  });
}

function cgoPreambles(text: string, comments: readonly Range[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [i, { start, end }] of [...comments.entries()].reverse()) {
    if (text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() !== '') continue;
    IMPORT_C.lastIndex = end;
    const isAboveOne = found.has(i + 1) && ONE_LINE_END.test(text.slice(end, comments[i + 1]?.start));
    if (isAboveOne || IMPORT_C.test(text)) found.add(i);
  }
  return found;
}

function scriptBlocks(text: string, language: string, comments: readonly Range[]): ReadonlySet<number> {
  const found = new Set<number>();
  if (language !== 'python') return found;
  for (const [i, { start, end }] of comments.entries()) {
    const [before, comment] = [comments[i - 1], text.slice(start, end)];
    const follows = found.has(i - 1) && ONE_LINE_END.test(text.slice(before?.end, start));
    const hasEnded = text.slice(before?.start, before?.end) === '# ///';
    if (SCRIPT_BLOCK.test(comment) ? comment !== '# ///' || follows : follows && !hasEnded) found.add(i);
  }
  return found;
}
