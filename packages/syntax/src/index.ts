export { docLineOf, signatureOf } from './describe-symbol.ts';
export { findSymbols, symbolAt, symbolAtLine } from './find-symbols.ts';
export { LANGUAGE_NAMES, languageOf } from './languages.ts';
export { newFaults } from './new-faults.ts';
export { isOutline, type NoOutline, openSyntax, type Syntax } from './open-syntax.ts';
export type { ByteRange, Outline, SymbolKind, SyntaxFault, SyntaxSymbol } from './symbols.ts';
