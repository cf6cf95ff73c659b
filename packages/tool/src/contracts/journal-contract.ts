import type { ChangedFile } from '@jinn/guard';
import type { Visualization } from '@jinn/visualization';
import type { Outcome } from '../outcome.ts';
import type { Request, Surroundings } from '../registry.ts';
import type { PictureFacts } from '../tool.ts';

/** Writes down calls, for the person. */
export interface Journal {
  /**
   * Runs a call by `run`, and writes down how it begins and how it ends, if the person asked for that. The surroundings that
   * `run` gets may have more ways to ask. It rejects only if `run` does.
   */
  record(request: Request, at: Surroundings, run: (at: Surroundings) => Promise<Outcome>): Promise<Outcome>;
}

/** What a person may be shown of a call, before it is drawn. */
export interface CallPicture {
  /** The files that the call changed, on both sides. */
  readonly changes: readonly ChangedFile[];
  /** What a dry run would change. */
  readonly planned: readonly ChangedFile[];
  /** What a diff of them does not tell. */
  readonly facts?: PictureFacts | undefined;
  /** Draws it; undefined if there is nothing to be shown. It may take as long as all else of the call. Never rejects. */
  draw(): Promise<Visualization | undefined>;
}
