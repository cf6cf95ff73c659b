export { RECORD_VERSION } from './journal-record.ts';

/** What a call asks the page. One JSON line each way; unknown members and kinds are passed over. */
export interface AskMessage {
  readonly v: number;
  readonly k: 'ask';
  readonly id: string;
  /** The hash of what is asked; the answer brings it back. */
  readonly sha: string;
  readonly door: string;
  readonly client?: string | undefined;
  readonly workspace: string;
  readonly tool: string;
  readonly args: unknown;
  /** What the person reads: all that decides on what runs. */
  readonly message: string;
  readonly permission: { readonly type: string; readonly key: string };
  /** True if the answer "always" is not taken. */
  readonly isOnlyOnce: boolean;
  readonly risk?: string | undefined;
  /** When the call stops waiting, in milliseconds since 1970. */
  readonly until: number;
}

/** What the page says: that somebody sees the question, that nobody does, or the answer. */
export type PageMessage =
  | { readonly k: 'seen' | 'nobody' }
  | { readonly k: 'answer'; readonly sha: string; readonly answer: string };

/** Reads a line that came over the socket; undefined if it is no JSON. */
export function readMessage(line: string): object | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
