import type { Grants, Memory } from '@jinn/core';
import type { History } from '@jinn/workspace';
import type { HistoryLimits } from './history/open-history.ts';

export interface StateOwner {
  readonly root: string;
  readonly person: string;
  readonly directory: string | undefined;
  readonly limits?: HistoryLimits;
}

/** Opens what is kept for a person. */
export interface StateOfPerson {
  grants(): Promise<Grants>;
  memory(): Promise<Memory>;
  history(): Promise<History>;
}
