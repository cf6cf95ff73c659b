import type { ChangedFile } from '@jinn/workspace';
import { fromSystemError, isOutOfDescriptors, ToolError } from '../errors/index.ts';
import type { Visualization } from '../visualization/index.ts';
import type { ImageBlock, PictureFacts, Risk } from './tool.ts';

/** The answer to a call, in no protocol's form: each program formats it in its own. */
export type Outcome = Success | Failure;

export interface Success {
  readonly ok: true;
  /**
   * The text for the model: the text of the tool, or the compact JSON of its data; absent if there is only `content`.
   */
  readonly text?: string | undefined;
  /** The data of the answer; `text` is its JSON, or says the same in words. */
  readonly data?: object | undefined;
  /** The images that a model sees. */
  readonly content?: readonly ImageBlock[] | undefined;
  /** How a command ended, such as `success`. */
  readonly classification?: string | undefined;
  /** What the command may do. */
  readonly risk?: Risk | undefined;
  /** True if there is more than the answer holds. */
  readonly truncated?: boolean | undefined;
  /** How much there is, in the tool's own unit. */
  readonly totalCount?: number | undefined;
  /** The view for a person; the model never sees it. */
  readonly visualization?: Visualization | undefined;
  /** Sentences on omissions and oddities. */
  readonly warnings?: readonly string[] | undefined;
  /** The facts for a program beside the text: versions, line numbers, hashes. */
  readonly meta?: object | undefined;
  /** What the call changed, and its view before it is drawn. No protocol has it. */
  readonly picture?: CallPicture | undefined;
}

/** What a call shows to a user, before it is drawn. */
export interface CallPicture {
  /** The files that the call changed, on both sides. */
  readonly changes: readonly ChangedFile[];
  /** The changes that a dry run would make. */
  readonly planned: readonly ChangedFile[];
  /** The facts that a diff of the files does not show. */
  readonly facts?: PictureFacts | undefined;
  /** Draws the view; undefined if there is nothing to show. It may take as long as the rest of the call. Never rejects. */
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
  const message = 'the tool failed inside; the log of jinn has the details';
  return { ok: false, error: new ToolError('internal', message, { cause: thrown }) };
}
