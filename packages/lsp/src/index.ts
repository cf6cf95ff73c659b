export { shortFingerprint } from '@jinn/store/fingerprints';
export { applyEdits } from './answers/apply-edits.ts';
export { type ChangedSource, type DiagnosticsDifference, diagnoseChange } from './answers/diagnose-change.ts';
export type { Diagnosis, Diagnostic } from './answers/diagnostics.ts';
export { showDiagnostic } from './answers/diagnostics.ts';
export type { FileEdit } from './answers/edits.ts';
export type { LanguageAnswer, LanguageQuestion, MentionedWord, ServerView } from './answers/language-question.ts';
export type { FoundLocation } from './answers/locations.ts';
export { findWord, type ServerSymbol } from './answers/parse-symbols.ts';
export {
  type CodeAction,
  findAllReferences,
  findCalls,
  findCodeActions,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
  findLocations,
  findWorkspaceSymbols,
  flattenSymbols,
  type LocationPage,
  type NamedLocation,
  planCodeAction,
  planFormat,
  planRename,
  rejectUnready,
  type Way,
} from './answers/queries.ts';
export { type NamingFile, needsServer, RESERVED_WORDS, whyRefused } from './answers/rename.ts';
export { type Place, type PlaceRange, TextLines, withoutRoot } from './client/positions.ts';
export { toEvents } from './documents/file-watch.ts';
export { wordsAt } from './documents/mentions.ts';
export { createSourceFiles, decodeSource, type SourceFiles } from './documents/source-files.ts';
export {
  type LackOfTrust,
  LanguageServers,
  type LanguageServersOptions,
  type PreparedServer,
} from './language-servers.ts';
export { type Choice, isWithoutServer } from './servers/find-server.ts';
export type { LanguageStatus, ServerStatus } from './servers/list-languages.ts';
export { findMainFile, hasServerFor, listLanguages } from './servers/list-languages.ts';
export { type LspSettings, readLspSettings } from './servers/lsp-settings.ts';
export { SERVER_TABLE, type ServerTable } from './servers/server-table.ts';
export type { OwnCode } from './servers/server-trust.ts';
export { createSessionServers, type OpenServers, withReports } from './session-servers.ts';
