import { type FoundSymbol, findSymbols, type ServerView } from '../index.ts';

/** Statements that import or export a name in TypeScript or JavaScript without declaring it. */
const SPECIFIERS = /^[ \t]*(?:import\b(?!\s*[(.])[^'"`;]*['"]|export\s+(?:type\s*)?(?:\{[^{}]*\}|\*[^'"`;]*['"]))/gm;
const SCRIPT = /^(?:type|java)script/;

/** Returns the symbols that the document declares: some servers also list its imports and exports. */
export async function ownSymbols(view: ServerView): Promise<readonly FoundSymbol[]> {
  const symbols = await findSymbols(view);
  const { languageId, lines } = view.document;
  if (!SCRIPT.test(languageId)) return symbols;
  const spans = [...lines.text.matchAll(SPECIFIERS)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  return symbols.filter(({ nameRange: { start } }) => {
    const position = lines.positionOf(start, 'utf-16');
    const at = position && lines.offsetOf(position, 'utf-16');
    return at === undefined || !spans.some(([from, to]) => from <= at && at < to);
  });
}
