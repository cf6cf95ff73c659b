import type { PictureFacts, Settlement } from '@jinn/core';
import type { Visualization } from '@jinn/core/visualization';

/** The question of a call to the page. There is one JSON line each way. Unknown members and kinds are skipped. */
export interface AskMessage {
  readonly v: number;
  readonly k: 'ask';
  readonly id: string;
  /** The ids of the call and of its session in the journal. */
  readonly call: string;
  readonly session: string;
  /** The hash of the question. The answer repeats it. */
  readonly sha: string;
  readonly door: string;
  readonly client?: string | undefined;
  readonly workspace: string;
  readonly tool: string;
  readonly args: unknown;
  /** The text for the user: everything that matters for the decision. */
  readonly message: string;
  /** The changes that are asked about, as `git diff` writes them. */
  readonly patch?: { readonly about: string; readonly text: string } | undefined;
  readonly permission: { readonly type: string; readonly key: string };
  /** What the answer "always" would permit, in a sentence. */
  readonly always?: string | undefined;
  /** True if the answer "always" is not accepted. */
  readonly isOnlyOnce: boolean;
  readonly risk?: string | undefined;
  /** When the call stops waiting, in milliseconds since 1970. */
  readonly until: number;
}

/** A message of the page: that someone sees the question, that no one does, or the answer. */
export type PageMessage =
  | { readonly k: 'seen' | 'nobody' }
  | { readonly k: 'answer'; readonly sha: string; readonly answer: string };

/** The version of the lines. A reader skips lines of a later one. */
export const RECORD_VERSION = 1;

/** The first part of a line: the row of a call in a list. */
export interface CallHead {
  readonly v: number;
  readonly k: 'start' | 'end';
  readonly id: string;
  /** The session, and the process that has it. */
  readonly session: string;
  readonly pid: number;
  /** When the call started, in milliseconds since 1970. */
  readonly time: number;
  /** The program that was called, and the way in which. */
  readonly door: string;
  readonly client?: string | undefined;
  readonly person?: string | undefined;
  readonly workspace: string;
  readonly tool: string;
  /** What the call is about, in a few words. */
  readonly what: string;
  /** True if the call was asked only to show what it would do. */
  readonly dryRun?: boolean;
  readonly ok?: boolean;
  /** The exit status of a command that ran. */
  readonly exit?: number | undefined;
  readonly code?: string | undefined;
  readonly ms?: number;
  /** The characters of the JSON of the arguments, and of the answer. */
  readonly lengths?: readonly [args: number, answer: number];
  /** The id of the call's changes in the undo history. */
  readonly operation?: string | undefined;
  readonly risk?: string | undefined;
  readonly settled?: Settlement | undefined;
}

/** The second part of a line, which is shown of a call that is opened. */
export interface CallDetail {
  readonly args: unknown;
  readonly text?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly visualization?: Visualization | undefined;
  /** The changes of the call in files. A reader draws them. */
  readonly changes?: readonly KeptChange[] | undefined;
  /** True if nothing was written: the changes are those of a dry run. */
  readonly dryRun?: boolean;
  /** The facts that are shown next to the diff of the changes. */
  readonly facts?: PictureFacts | undefined;
  /** The parts that were too large to be kept, a clause each. */
  readonly leftOut?: readonly string[] | undefined;
}

/** The part of a file that a call changed, with some lines around it. */
export interface KeptChange {
  readonly path: string;
  /** The line on which it starts, from 1. */
  readonly line: number;
  /** Absent if there was no file. */
  readonly before?: string;
  /** Absent if the file was removed. */
  readonly after?: string;
}

/** How a job takes input: shown, or hidden as a password. */
export type InputState = 'shown' | 'hidden';

/** What a process tells the page of a call that runs for long, and of the job that it started. */
export type LiveMessage =
  | { readonly v: number; readonly k: 'running'; readonly id: string }
  | { readonly k: 'lines'; readonly lines: readonly string[]; readonly input?: InputState | undefined }
  | { readonly k: 'job'; readonly text: string; readonly pid: number; readonly command: string };

/** What a session changed, taken together. */
export interface SessionChanges {
  /** Absent if nothing is left of what it changed. */
  readonly visualization?: Visualization;
  /** A patch that `git apply` takes, made of the files that are text. */
  readonly patch: string;
  /** Sentences on what is missing, or more than the session did. */
  readonly notes: readonly string[];
}

/** Stands between the two parts. JSON has no raw tab. */
export const SEPARATOR = '\t';

/** Reads a line from the socket, or undefined if it is not JSON. */
export function readMessage(line: string): object | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
