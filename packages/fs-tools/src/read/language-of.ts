/** Languages by the names that syntax highlighters know, each with its endings. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh bash',
  c: 'c h',
  cpp: 'cc cpp cxx hh hpp hxx',
  csharp: 'cs',
  css: 'css',
  dart: 'dart',
  diff: 'diff patch',
  elixir: 'ex exs',
  go: 'go',
  graphql: 'graphql gql',
  haskell: 'hs',
  html: 'html htm',
  ini: 'ini cfg',
  java: 'java',
  javascript: 'js mjs cjs',
  json: 'json jsonc',
  jsx: 'jsx',
  kotlin: 'kt kts',
  lua: 'lua',
  markdown: 'md markdown mdx',
  php: 'php',
  powershell: 'ps1',
  python: 'py pyi',
  ruby: 'rb rake gemspec',
  rust: 'rs',
  scala: 'scala sbt',
  scss: 'scss',
  solidity: 'sol',
  sql: 'sql',
  swift: 'swift',
  toml: 'toml',
  tsx: 'tsx',
  typescript: 'ts mts cts',
  xml: 'xml svg',
  yaml: 'yaml yml',
};

const LANGUAGES = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

/** Returns the language of a file by the ending of its name, or undefined if the ending is not known. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : LANGUAGES.get(name.slice(dot + 1).toLowerCase());
}
