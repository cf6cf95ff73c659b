import type { Grant, GrantSubject, Grants } from '@jinn/tool';

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
  /** `fingerprint` is only called if the server was ever trusted. */
  isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean>;
  /** Says how the person lets a server start, as the end of a sentence. */
  wayToTrust(id: string): Promise<string>;
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

  /** Lets a server start once, if what it runs is still the same by then. */
  allowOnce(id: string, fingerprint: string): void {
    this.#once.set(id, fingerprint);
  }

  async isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean> {
    const once = this.#once.get(id);
    const approved = [...(once === undefined ? [] : [once]), ...(await this.#granted(id))];
    if (approved.length === 0) return false;
    const now = await fingerprint();
    return now !== undefined && approved.includes(now);
  }

  async wayToTrust(id: string): Promise<string> {
    const { person } = await this.#grants();
    return person === ''
      ? `this command allows it: ${trustCommand(id)}`
      : 'they can allow it where their host can ask them, with the scope jinn:execute';
  }

  started(id: string): void {
    this.#once.delete(id);
  }

  /**
   * Returns the fingerprints of what is trusted of a server, by the person and for everybody. There are none if the grants cannot
   * be read: then the person is asked.
   */
  async #granted(id: string): Promise<readonly string[]> {
    try {
      const grants = await (await this.#grants()).list();
      const isMeant = ({ tool, type, key }: Grant) => tool === TRUST_TOOL && type === TRUST && key === id;
      return grants.filter(isMeant).map(({ fingerprint }) => fingerprint);
    } catch {
      return [];
    }
  }
}

/** Returns the command by which a person trusts a server in the working directory. */
function trustCommand(id: string): string {
  return `jinn lsp trust ${/^[\w.-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`}`;
}
