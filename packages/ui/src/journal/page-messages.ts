export { RECORD_VERSION } from './journal-record.ts';

/** The question of a call to the page. There is one JSON line each way; unknown members and kinds are skipped. */
export interface AskMessage {
  readonly v: number;
  readonly k: 'ask';
  readonly id: string;
  /** The hash of the question; the answer repeats it. */
  readonly sha: string;
  readonly door: string;
  readonly client?: string | undefined;
  readonly workspace: string;
  readonly tool: string;
  readonly args: unknown;
  /** The text for the person: everything that matters for the decision. */
  readonly message: string;
  readonly permission: { readonly type: string; readonly key: string };
  /** True if the answer "always" is not accepted. */
  readonly isOnlyOnce: boolean;
  readonly risk?: string | undefined;
  /** When the call stops waiting, in milliseconds since 1970. */
  readonly until: number;
}

/** A message of the page: that somebody sees the question, that nobody does, or the answer. */
export type PageMessage =
  | { readonly k: 'seen' | 'nobody' }
  | { readonly k: 'answer'; readonly sha: string; readonly answer: string };

/** Reads a line from the socket; undefined if it is not JSON. */
export function readMessage(line: string): object | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
