export { type FaultReport, isDamaged, newFaults, reportFaults, unreadLines } from './faults/report-faults.ts';
export { LANGUAGE_NAMES, sourceLanguageOf } from './languages.ts';
export { MAX_SOURCE_BYTES, openSyntax, type Syntax, TOO_LARGE } from './open-syntax.ts';
export { createOutlines, type OutlineBatch, Outlines, type SourceFile } from './outlines.ts';
export type { TextPart } from './parse/find-in-tree.ts';
export { docLineOf, signatureOf, titleOf } from './symbols/describe-symbol.ts';
export {
  chooseSymbol,
  describeGap,
  findSymbols,
  namePathOf,
  symbolAt,
  symbolAtLine,
  toNamePath,
} from './symbols/find-symbols.ts';
export {
  type ByteRange,
  type Identifier,
  isOutline,
  type NoOutline,
  type Outline,
  type SymbolKind,
  type SyntaxFault,
  type SyntaxSymbol,
} from './symbols.ts';
