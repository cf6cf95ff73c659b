import { languageOf, type NoOutline, type Outline, openSyntax, type Syntax } from '@jinn/syntax';

const NO_LANGUAGE: NoOutline = { reason: 'no_grammar', message: 'no syntax tree for files of this kind' };
let syntax: Syntax | undefined;

/** Returns the outline of a text in UTF-8. The parser is started for the first, and lives as long as the process. */
export async function outlineSource(content: Buffer, path: string): Promise<Outline | NoOutline> {
  const language = languageOf(path, content);
  if (language === undefined) return NO_LANGUAGE;
  syntax ??= openSyntax();
  return syntax.outline(content, language);
}
