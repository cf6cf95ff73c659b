export { hasSensitiveSegment, isSensitiveSegment } from '@jinn/secrets/names';
export { type Answer, type Question, type RefusalReason, toSubject } from './authorize.ts';
export { BEGIN, beginWork } from './begin-work.ts';
export { createVersionDigest, versionOf } from './content-version.ts';
export { countDigits } from './decimal.ts';
export { defineTool, type ZodTool } from './define-tool.ts';
export { type Directories, findCacheDirectory, findDirectories, makePrivateDirectory } from './directories.ts';
export { type Envelope, toEnvelope } from './envelope.ts';
export { type ErrorDetails, ToolError } from './errors.ts';
export { type ExactJson, parseExactJson } from './exact-json.ts';
export type { Grant, GrantFilter, GrantSubject, Grants } from './grants.ts';
export type { Archive, History, HistoryEntry, PlannedChange, PreparedOperation, Snapshot } from './history.ts';
export type { Input, JsonSchema } from './input.ts';
export type { Incoming } from './json-fault.ts';
export { createSchemaCheck, jsonSchemaInput } from './json-schema-input.ts';
export { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from './json-text.ts';
export { createJsonValues, parseJson, parseStrictJson } from './json-values.ts';
export { createLocks, type Lock } from './locks.ts';
export type { Caller, DangerPolicy, Environment, Machine } from './machine.ts';
export { mapArgs, renameArgs } from './map-args.ts';
export type { Memory, MemoryEntry, MemoryScope } from './memory.ts';
export { isOneEditAway, MIN_MISSPELT } from './misspelling.ts';
export {
  type ChangedFile,
  type Computed,
  type FileChange,
  type FileState,
  type MutationResult,
  mutate,
  reconcile,
} from './mutate.ts';
export { nearestName } from './nearest.ts';
export { nearestArgument } from './nearest-argument.ts';
export { once } from './once.ts';
export type { DirectoryStat, OpenDirectory } from './open-directory.ts';
export { OpenFile } from './open-file.ts';
export { type Outcome, toFailure } from './outcome.ts';
export { stepsOf } from './pattern-cost.ts';
export { createRegistry, type Registry, type Request, type Surroundings } from './registry.ts';
export { SANDBOX_MODES, type SandboxMode, type SandboxPolicy, type ToolSandbox } from './sandbox-policy.ts';
export { draftOf } from './schema-draft.ts';
export { createSession, type Session } from './session.ts';
export { createSpill, MAX_SPILL_BYTES, RESULTS_URI, type Spill } from './spill.ts';
export { StoppableThread } from './stoppable-thread.ts';
export { fromSystemError, isOutOfDescriptors } from './system-error.ts';
export { refuseTooLarge } from './target.ts';
export {
  type Hosting,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolDescription,
  type ToolOutput,
  wrapRun,
} from './tool.ts';
export {
  type FixedEntry,
  type FixedToolset,
  fixedToolset,
  type LeftOutTool,
  type LiveToolset,
  type ToolEntry,
  type Toolset,
} from './toolset.ts';
export { createStateFiles, createUserFiles, type StateFiles, type UserFiles } from './user-files.ts';
export { cutMiddle, indentLines, type ShownText, toVisible, toVisibleJson, toVisibleLines } from './visible-text.ts';
export {
  checkVisualization,
  stripVisualizations,
  type Visualization,
  type VisualizationOf,
} from './visualization.ts';
export { openWorkspace, type PathStatus, type Workspace } from './workspace.ts';
export { fromWriteError } from './write-error.ts';
export { writeFully } from './write-fully.ts';
