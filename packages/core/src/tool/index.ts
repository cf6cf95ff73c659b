export {
  type Answer,
  DANGER_POLICIES,
  type Question,
  REFUSALS,
  type RefusalReason,
  type Settlement,
  toSubject,
} from './approval/authorize.ts';
export type { Grant, GrantFilter, GrantSubject, Grants } from './approval/grants.ts';
export type { Memory, MemoryEntry, MemoryScope } from './contracts/memory-contract.ts';
export { defineTool, fixedToolset, runPart } from './define-tool.ts';
export { nearestArgument } from './input/argument-names.ts';
export type { Input, JsonSchema } from './input/input.ts';
export { createSchemaCheck, jsonSchemaInput } from './input/json-schema-input.ts';
export { mapArgs } from './input/map-args.ts';
export { meantCall } from './input/meant-call.ts';
export { NOTES } from './input/other-agents.ts';
export { repairMembers } from './input/repair-values.ts';
export { draftOf } from './input/schema-draft.ts';
export type { Caller, DangerPolicy, Environment, Machine } from './machine.ts';
export { type CallPicture, type Outcome, type Success, toFailure } from './outcome.ts';
export { BEGIN, beginWork, type Envelope, toEnvelope, writeFully } from './program-output.ts';
export { createRegistry, type Registry, type RegistryOptions, type Request, type Surroundings } from './registry.ts';
export { SANDBOX_MODES, type SandboxMode, type SandboxPolicy, type ToolSandbox } from './sandbox-policy.ts';
export { createSession, once, type Session } from './session.ts';
export {
  type Effect,
  type Hosting,
  type ImageBlock,
  type PictureFacts,
  type PreparedCall,
  type Risk,
  type Tool,
  type ToolContext,
  type ToolDescription,
  type ToolOutput,
  wrapRun,
  type ZodTool,
} from './tool.ts';
export type { FixedEntry, FixedToolset, LeftOutTool, LiveToolset, ToolEntry, Toolset } from './toolset.ts';
