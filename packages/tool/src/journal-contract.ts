import type { Outcome } from './outcome.ts';
import type { Request, Surroundings } from './registry.ts';

/** Writes down calls, for the person. */
export interface Journal {
  /**
   * Runs a call by `run`, and writes down how it begins and how it ends, if the person asked for that. The surroundings that
   * `run` gets may have more ways to ask. It rejects only if `run` does.
   */
  record(request: Request, at: Surroundings, run: (at: Surroundings) => Promise<Outcome>): Promise<Outcome>;
}
