/** The subject of an approval. All four must be equal for a grant to count. */
export interface GrantSubject {
  /** The name of the tool. */
  readonly tool: string;
  /** The type of the permission, such as "command" or "network". */
  readonly type: string;
  /** What the permission is for, in the words of the tool. */
  readonly key: string;
  /** A hash of what was approved, such as the files of a tool; a grant for anything else does not count. */
  readonly fingerprint: string;
}

/** An approval that a person gave for always. */
export interface Grant extends GrantSubject {
  readonly created: Date;
  /** True if it counts for everybody in the workspace, whoever gave it. */
  readonly forAll: boolean;
}

/** Which grants to remove; a field that is left out stands for any value. */
export type GrantFilter = Partial<Pick<Grant, 'tool' | 'type' | 'key' | 'forAll'>>;

/**
 * The remembered approvals of one person in one workspace, and those that count for everybody there: of the directory, not of its
 * path, so that a new directory there has none. Of either kind there is at most one for each tool, type and key. Nothing is
 * opened until the first look, and looking creates nothing.
 */
export interface Grants {
  /** The name of the person; empty for one without a name. */
  readonly person: string;
  /**
   * Finds a grant for exactly this subject. Returns undefined if there is none, if those for this tool, type and
   * key have another fingerprint, or if the grants cannot be read: then a person has to be asked.
   */
  find(subject: GrantSubject): Promise<Grant | undefined>;
  /**
   * Remembers an approval, of the person or for everybody, in the place of the one that this tool, type and key had. When it
   * is done, the grant survives a power loss. Throws `invalid_args` for texts that cannot be kept, and `write_failed`.
   */
  add(subject: GrantSubject, options?: { readonly forAll?: boolean }): Promise<void>;
  /** Returns all intact grants, by tool, type and key. Throws `write_failed` if they cannot be read. */
  list(): Promise<readonly Grant[]>;
  /**
   * Removes the grants that match: those of the person, and those for everybody where the person has no name. Returns their
   * number; they are gone after a power loss too. Throws `write_failed`.
   */
  revoke(filter: GrantFilter): Promise<number>;
  /**
   * Remembers until a time that an answer was used, for all workspaces and processes. Returns false if it was used before:
   * it must not count again. Throws `write_failed`; then it must not count either.
   */
  spend(answer: string, until: Date): Promise<boolean>;
  /** Returns the faults beside the calls so far, a sentence each; each is returned once. */
  takeWarnings(): readonly string[];
}
