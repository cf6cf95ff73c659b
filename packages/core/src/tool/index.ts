export { REFUSALS, toSubject } from './approval/authorize.ts';
export type { Grant, GrantFilter, GrantSubject, Grants } from './approval/grants.ts';
export {
  type Answer,
  askToRun,
  DANGER_POLICIES,
  type Question,
  type RefusalReason,
  type Settlement,
} from './approval/question.ts';
export { defineTool, fixedToolset, lazy, mapArgs, runPart } from './define-tool.ts';
export type { Input, JsonSchema } from './input/input.ts';
export { createSchemaCheck, jsonSchemaInput } from './input/json-schema-input.ts';
export { meantCall } from './input/meant-call.ts';
export { NOTES } from './input/other-agents.ts';
export { nearestArgument } from './input/read-args.ts';
export { repairMembers } from './input/repair-values.ts';
export { draftOf } from './input/schema-draft.ts';
export type { CallHooks, DangerPolicy, Environment, JobPrompt, Machine, Session } from './machine.ts';
export type { Memory, MemoryEntry, MemoryScope } from './memory-contract.ts';
export { type CallPicture, type Outcome, type Success, toFailure } from './outcome.ts';
export { BEGIN, beginWork, type Envelope, toEnvelope, withTimeout, writeFully } from './program-output.ts';
export {
  createRegistry,
  createSession,
  describeTools,
  type Registry,
  type RegistryOptions,
  type Request,
  type Surroundings,
} from './registry.ts';
export { SANDBOX_MODES, type SandboxMode, type SandboxPolicy, type ToolSandbox } from './sandbox-policy.ts';
export {
  type Effect,
  type Hosting,
  type ImageBlock,
  type LeftOutTool,
  type ListedTool,
  type PictureFacts,
  type PreparedCall,
  type Risk,
  type Tool,
  type ToolContext,
  type ToolDescription,
  type ToolList,
  type ToolOutput,
  wrapRun,
  type ZodTool,
} from './tool.ts';
export type { FixedEntry, FixedToolset, LiveToolset, ToolEntry, Toolset } from './toolset.ts';
