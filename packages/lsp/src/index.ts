export { shortFingerprint } from '@jinn/store/fingerprints';
export { applyEdits } from './answers/apply-edits.ts';
export type { MentionedWord } from './answers/ask-widely.ts';
export { type ChangedSource, type DiagnosticsDifference, diagnoseChange } from './answers/diagnose-change.ts';
export type { Diagnosis, Diagnostic } from './answers/diagnostics.ts';
export type { FileEdit } from './answers/edits.ts';
export type { FoundLocation } from './answers/locations.ts';
export { type NamingFile, needsServer } from './answers/needs-server.ts';
export { type FoundSymbol, findWord } from './answers/parse-symbols.ts';
export {
  type CodeAction,
  findCalls,
  findCodeActions,
  findDiagnostics,
  findHover,
  findLocations,
  findReferences,
  findSymbols,
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
export { showDiagnostic } from './answers/show-diagnostic.ts';
export { Lines, type Place, type PlaceRange } from './client/positions.ts';
export { startReports } from './client/report-progress.ts';
export { withoutRoot } from './client/uris.ts';
export { toEvents } from './documents/file-watch.ts';
export { createSourceFiles, decodeSource, type SourceFiles } from './documents/source-files.ts';
export {
  type Answer,
  type LackOfTrust,
  LanguageServers,
  type LanguageServersOptions,
  type PreparedServer,
  type Question,
  type ServerView,
} from './language-servers.ts';
export { type Choice, isWithoutServer, sharesServer } from './servers/find-server.ts';
export { findMainFile, hasServerFor, listLanguages } from './servers/list-languages.ts';
export type { LanguageStatus, ServerStatus } from './servers/list-servers.ts';
export { type LspSettings, readLspSettings } from './servers/lsp-settings.ts';
export type { OwnCode } from './servers/own-code.ts';
export { SERVER_TABLE, type ServerTable } from './servers/server-table.ts';
export { createSessionServers, type OpenServers } from './session-servers.ts';
