export type { Answer as ApprovalAnswer, Effect, Hosting, ImageBlock, Risk, ToolDescription } from '@jinn/core';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type ExampleCall,
  ToolError,
  type ToolErrorOptions,
} from '@jinn/core/errors';
export type { ModelBlock, TextBlock } from '@jinn/core/model-content';
export type { McpTool, ModelAnswer, SchemaOptions } from '@jinn/toolsets';
export type { ApiAnswers, ApiToolCall, ApiTools } from './api-types.ts';
export type { ApprovalQuestion, Approve } from './ask-caller.ts';
export type { CallAnswer } from './call-answer.ts';
export type { JinnEvent } from './call-events.ts';
export {
  createJinn,
  type Jinn,
  type ModelJinn,
  type ToolArgs,
  type ToolData,
  type ToolName,
} from './create-jinn.ts';
export type { CallOptions, JinnOptions } from './library-options.ts';
export type { ToolsetName, Toolsets } from './tool-types.d.ts';
