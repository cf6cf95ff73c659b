/** Returns the faults of a page, and what was measured. */
export function measurePage(text: string): {
  readonly faults: readonly string[];
  readonly average: number;
  readonly longest: readonly string[];
  readonly sentences: number;
};

/** Lists the pages that people read, those that are generated too. */
export function listPages(): readonly string[];
