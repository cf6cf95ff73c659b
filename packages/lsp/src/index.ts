export { shortFingerprint } from '@jinn/store/fingerprints';
export { applyEdits } from './apply-edits.ts';
export { type ChangedSource, type DiagnosticsDifference, diagnoseChange } from './diagnose-change.ts';
export type { Diagnosis, Diagnostic } from './diagnostics.ts';
export type { FileEdit } from './edits.ts';
export { toEvents } from './file-watch.ts';
export { trustCommand } from './find-server.ts';
export {
  type Answer,
  type LackOfTrust,
  LanguageServers,
  type LanguageServersOptions,
  type Question,
  type ServerView,
} from './language-servers.ts';
export { findMainFile, listLanguages } from './list-languages.ts';
export type { LanguageStatus, ServerStatus } from './list-servers.ts';
export type { FoundLocation } from './locations.ts';
export type { OwnCode } from './own-code.ts';
export { Lines, type Place, type PlaceRange } from './positions.ts';
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
  refuseUnready,
  type Way,
} from './queries.ts';
export { startReports } from './report-progress.ts';
export { SERVER_TABLE, type ServerTable } from './server-table.ts';
export { createSessionServers, type OpenServers } from './session-servers.ts';
export { type LspSettings, readLspSettings } from './settings.ts';
export { showDiagnostic } from './show-diagnostic.ts';
export { createSourceFiles, decodeSource, type SourceFiles } from './source-files.ts';
export { type FoundSymbol, findWord } from './symbols.ts';
export { TRUST, TRUST_TOOL, trustIn } from './trust.ts';
export { withoutRoot } from './uris.ts';
