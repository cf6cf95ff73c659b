export { chooseSymbol, namePathOf } from './choose-symbol.ts';
export { docLineOf, signatureOf } from './describe-symbol.ts';
export { findSymbols, symbolAt, symbolAtLine } from './find-symbols.ts';
export { LANGUAGE_NAMES, languageOf } from './languages.ts';
export { newFaults } from './new-faults.ts';
export { isOutline, type NoOutline, openSyntax, type Syntax } from './open-syntax.ts';
export { createOutlines, Outlines, type SourceFile } from './outlines.ts';
export { type FaultReport, reportFaults } from './report-faults.ts';
export type { ByteRange, Identifier, Outline, SymbolKind, SyntaxFault, SyntaxSymbol } from './symbols.ts';
