import type { ChangedFile } from '@jinn/workspace';
import type { Visualization } from '../../visualization/index.ts';
import type { Outcome } from '../outcome.ts';
import type { Request, Surroundings } from '../registry.ts';
import type { PictureFacts } from '../tool.ts';

/** Records calls, for the person. */
export interface Journal {
  /**
   * Runs a call by `run`, and records how it begins and ends, if the person asked for that. The surroundings that `run`
   * gets may have more ways to ask. It rejects only if `run` does.
   */
  record(request: Request, at: Surroundings, run: (at: Surroundings) => Promise<Outcome>): Promise<Outcome>;
}

/** The picture of a call for a person, before it is drawn. */
export interface CallPicture {
  /** The files that the call changed, on both sides. */
  readonly changes: readonly ChangedFile[];
  /** The changes that a dry run would make. */
  readonly planned: readonly ChangedFile[];
  /** The facts that a diff of the files does not show. */
  readonly facts?: PictureFacts | undefined;
  /**
   * Draws the picture; undefined if there is nothing to show. It may take as long as the rest of the call. Never
   * rejects.
   */
  draw(): Promise<Visualization | undefined>;
}
