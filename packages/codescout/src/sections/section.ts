/** A range of lines, from 1, both included. */
export interface Section {
  readonly start: number;
  readonly end: number;
}
