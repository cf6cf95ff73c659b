export { ERROR_CODES, type ErrorCode, ToolError } from '@jinn/errors';
export type { ModelBlock } from '@jinn/tool/model-content';
export type { ApprovalAnswer, ApprovalQuestion, Approve } from './approve.ts';
export {
  type CallAnswer,
  type CallOptions,
  createJinn,
  type Jinn,
  type JinnOptions,
  type ModelAnswer,
  type ToolArgs,
  type ToolData,
  type ToolName,
} from './create-jinn.ts';
export type { ToolsetName, Toolsets } from './tool-types.d.ts';
