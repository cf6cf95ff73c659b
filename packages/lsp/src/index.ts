export { type ChangedSource, type DiagnosticsDifference, diagnoseChange } from './diagnose-change.ts';
export type { Diagnosis, Diagnostic } from './diagnostics.ts';
export type { FileEdit, TextChange } from './edits.ts';
export {
  type Answer,
  LanguageServers,
  type LanguageServersOptions,
  type Question,
  type ServerView,
} from './language-servers.ts';
export { type LanguageStatus, listServers, type ServerStatus } from './list-servers.ts';
export type { FoundLocation } from './locations.ts';
export type { Place, PlaceRange } from './positions.ts';
export {
  type CodeAction,
  findCalls,
  findCodeActions,
  findDiagnostics,
  findHover,
  findLocations,
  findReferences,
  findSymbols,
  findWord,
  findWorkspaceSymbols,
  flattenSymbols,
  type LocationPage,
  type NamedLocation,
  planCodeAction,
  planFormat,
  planRename,
  type Way,
} from './queries.ts';
export { SERVER_TABLE, type ServerTable } from './server-table.ts';
export { type LspSettings, readLspSettings } from './settings.ts';
export { createSourceFiles, type SourceFiles } from './source-files.ts';
export type { FoundSymbol } from './symbols.ts';
