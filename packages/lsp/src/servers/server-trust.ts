import type { GrantSubject, Grants } from '@jinn/tool';

/** The tool that asks for the grants by which a person trusts servers. */
export const TRUST_TOOL = 'lsp_query';
/** The type of these grants; the key is the id of the server. */
export const TRUST = 'language_server';

/** Returns what a person trusts: a server, as long as the code of the workspace that it runs is the same. */
export function trustIn(id: string, fingerprint: string): GrantSubject {
  return { tool: TRUST_TOOL, type: TRUST, key: id, fingerprint };
}

/** Says whether a person trusts a server to run what it would run of the workspace. */
export interface ServerTrust {
  /** Reports whether a person trusts a server; `fingerprint` is only called if the server was ever trusted. */
  isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean>;
  /** Says that the server has been started: what was approved once has been used. */
  started(id: string): void;
}

/** The trust of a session: the grants of the workspace, and what the person has approved once. */
export class SessionTrust implements ServerTrust {
  readonly #grants: () => Promise<Grants>;
  readonly #once = new Map<string, string>();

  constructor(grants: () => Promise<Grants>) {
    this.#grants = grants;
  }

  /** Lets a server start once, if its code is still the same by then. */
  allowOnce(id: string, fingerprint: string): void {
    this.#once.set(id, fingerprint);
  }

  async isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean> {
    const approved = [this.#once.get(id), await this.#granted(id)].filter((known) => known !== undefined);
    if (approved.length === 0) return false;
    const now = await fingerprint();
    return now !== undefined && approved.includes(now);
  }

  started(id: string): void {
    this.#once.delete(id);
  }

  /**
   * Returns the fingerprint of what a person trusts of a server; undefined if there is none, or if the grants cannot be
   * read: then the person is asked.
   */
  async #granted(id: string): Promise<string | undefined> {
    try {
      const grants = await (await this.#grants()).list();
      return grants.find(({ tool, type, key }) => tool === TRUST_TOOL && type === TRUST && key === id)?.fingerprint;
    } catch {
      return undefined;
    }
  }
}
