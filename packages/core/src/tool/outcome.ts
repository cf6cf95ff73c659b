import type { ChangedFile } from '@jinn/workspace';
import { fromSystemError, isOutOfDescriptors, ToolError } from '../errors/index.ts';
import type { Visualization } from '../visualization/visualization.ts';
import type { ImageBlock, PictureFacts, Risk } from './tool.ts';

/** The answer to a call, in no protocol's form: each program formats it in its own. */
export type Outcome = Success | Failure;

export interface Success {
  readonly ok: true;
  /** The text of the tool, or the compact JSON of its data. Absent if there is only `content`. */
  readonly text?: string | undefined;
  readonly data?: object | undefined;
  /** The images that a model sees. */
  readonly content?: readonly ImageBlock[] | undefined;
  /** How a command ended, such as `success`. */
  readonly classification?: string | undefined;
  /** The danger of the command. */
  readonly risk?: Risk | undefined;
  /** True if there is more than the answer has. */
  readonly truncated?: boolean | undefined;
  /** How much there is, in the tool's own unit. */
  readonly totalCount?: number | undefined;
  /** The view for the user. The model never sees it. */
  readonly visualization?: Visualization | undefined;
  /** Sentences on omissions and oddities. */
  readonly warnings?: readonly string[] | undefined;
  /** For a program: versions, line numbers, hashes. */
  readonly meta?: object | undefined;
  /** The changes of the call, and its view before it is drawn. No protocol has it. */
  readonly picture?: CallPicture | undefined;
}

export interface CallPicture {
  readonly changes: readonly ChangedFile[];
  readonly planned: readonly ChangedFile[];
  readonly facts?: PictureFacts | undefined;
  /** Undefined if there is nothing to show. It may take as long as the rest of the call. Never rejects. */
  draw(): Promise<Visualization | undefined>;
}

export interface Failure {
  readonly ok: false;
  readonly error: ToolError;
}

/** Makes the failure for any thrown value. Only the message of a ToolError reaches the agent. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof ToolError) return { ok: false, error: thrown };
  // A tool's own code may be what could not be opened.
  if (isOutOfDescriptors(thrown)) return { ok: false, error: fromSystemError(thrown, '') };
  const message = 'the tool failed inside (the log of jinn has the details)';
  return { ok: false, error: new ToolError('internal', message, { cause: thrown }) };
}
