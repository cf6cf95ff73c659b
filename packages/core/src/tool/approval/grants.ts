/** All four must be equal for a grant to count. */
export interface GrantSubject {
  readonly tool: string;
  readonly type: string;
  readonly key: string;
  /** A hash of what was approved, such as the files of a tool. */
  readonly fingerprint: string;
}

export interface Grant extends GrantSubject {
  readonly created: Date;
  /** True if it counts for everybody in the workspace. */
  readonly forAll: boolean;
}

export type GrantFilter = Partial<Pick<Grant, 'tool' | 'type' | 'key' | 'forAll'>>;

/**
 * The saved approvals of one user in one workspace, and those that count for everybody there: of the directory, not of
 * its path, so that a new directory there has none. There is at most one for each tool, type and key.
 */
export interface Grants {
  readonly person: string;
  /** Returns undefined also if the fingerprint is another one, or the grants cannot be read: then the user is asked. */
  find(subject: GrantSubject): Promise<Grant | undefined>;
  /** Replaces the approval of this tool, type and key. Throws `invalid_args` and `write_failed`. */
  add(subject: GrantSubject, options?: { readonly forAll?: boolean }): Promise<void>;
  /** Returns all intact grants, by tool, type and key. Throws `write_failed` if they cannot be read. */
  list(): Promise<readonly Grant[]>;
  /** Removes the user's grants that match, and those for everybody if the user has no name. Throws `write_failed`. */
  revoke(filter: GrantFilter): Promise<number>;
  /** Remembers that an answer was used. It must not count if this returns false, or throws. */
  spend(answer: string, until: Date): Promise<boolean>;
  takeWarnings(): readonly string[];
}
