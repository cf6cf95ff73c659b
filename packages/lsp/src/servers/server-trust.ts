import type { Grants } from '@jinn/core';
import { serverTrust, trustedFingerprints } from '@jinn/core/trust';

/** Says whether a person trusts a server to run what it would run of the workspace. */
export interface ServerTrust {
  /** Reports whether a person trusts a server; `fingerprint` is only called if the server was ever trusted. */
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

  /** Lets a server start once, if its code is still the same by then. */
  allowOnce(id: string, fingerprint: string): void {
    this.#once.set(id, fingerprint);
  }

  async isTrusted(id: string, fingerprint: () => Promise<string | undefined>): Promise<boolean> {
    const granted = await trustedFingerprints(serverTrust(id), this.#grants);
    const approved = [this.#once.get(id), ...granted].filter((known) => known !== undefined);
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
}

function trustCommand(id: string): string {
  return `jinn lsp trust ${/^[\w.-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`}`;
}
