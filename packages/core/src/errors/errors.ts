import type { Visualization } from '../visualization/visualization.ts';

/** Every code that an answer may carry. A code names the fault, never the tool. Docs/errors.md has a line on each. */
export const ERROR_CODES = [
  'invalid_request',
  'invalid_args',
  'unknown_tool',
  'path_outside_sandbox',
  'file_not_found',
  'permission_denied',
  'not_a_file',
  'not_a_directory',
  'binary_file',
  'file_too_large',
  'stale_file',
  'conflict',
  'edit_not_found',
  'edit_not_unique',
  'edit_no_change',
  'edit_overlap',
  'old_text_empty',
  'patch_invalid',
  'patch_conflict',
  'invalid_regex',
  'invalid_glob',
  'command_blocked',
  'approval_required',
  'timeout',
  'canceled',
  'resource_limit',
  'lsp_unavailable',
  'lsp_error',
  'not_found',
  'write_failed',
  'unavailable',
  'tool_failed',
  'internal',
] as const;

/** A code of an error. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The parts of an answer in addition to the message when a tool fails. */
export interface ErrorDetails {
  /** The danger of the command. */
  readonly risk?: 'safe' | 'caution' | 'dangerous';
  /** How the command ended. */
  readonly classification?: string;
  /** More facts, for a program. */
  readonly meta?: object;
  /** The view for a user. The model never sees it. */
  readonly visualization?: Visualization;
}

/** A call that would be right. */
export interface ExampleCall {
  /** The name of the tool. */
  readonly tool: string;
  /** Its arguments. */
  readonly args: object;
}

/** The parts of an error in addition to its code and its message. */
export interface ToolErrorOptions {
  /** One next step for the agent. */
  readonly suggestion?: string;
  /** A call that would be right. Each program formats it as its protocol does. */
  readonly example?: ExampleCall;
  /** The parts of the answer in addition to the message. */
  readonly details?: ErrorDetails;
  /** The real cause, for the operator's log. It never reaches the agent. */
  readonly cause?: unknown;
}

/** The only error that a tool throws on purpose. Its message is written for the agent. */
export class ToolError extends Error {
  /** The kind of fault, such as `file_not_found`. */
  readonly code: ErrorCode;
  /** One next step for the agent. */
  readonly suggestion: string | undefined;
  /** A call that would be right. */
  readonly example: ExampleCall | undefined;
  /** The parts of the answer in addition to the message. */
  readonly details: ErrorDetails | undefined;

  /** Makes an error whose message is for the agent. */
  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    const { suggestion, example, details, cause } = options;
    super(message, { cause });
    this.name = 'ToolError';
    this.code = code;
    this.suggestion = suggestion;
    this.example = example;
    this.details = details;
  }
}

/** A program was started in a wrong way. The message is for the user. */
export class UsageError extends Error {}
