import { ToolError } from '@jinn/core/errors';

const MAX_FAILURES = 3;
const WITHIN_MS = 5 * 60_000;
const PAUSE_MS = 60_000;

/** Counts how often servers failed, so that a broken one is not started again and again. */
export class Failures {
  readonly #times = new Map<string, readonly number[]>();

  record(key: string): void {
    this.#times.set(key, [...this.#recent(key), performance.now()]);
  }

  /** Throws `lsp_unavailable` if the server failed three times in five minutes, the last within a minute. */
  rejectFailing(key: string, serverId: string): void {
    const recent = this.#recent(key);
    const rest = PAUSE_MS - (performance.now() - (recent.at(-1) ?? Number.NEGATIVE_INFINITY));
    if (recent.length < MAX_FAILURES || rest <= 0) return;
    throw new ToolError('lsp_unavailable', `the language server ${serverId} failed ${recent.length} times in a row`, {
      suggestion: `it is not started again for ${Math.ceil(rest / 1000)} seconds; choose another in config.json, or mend it`,
    });
  }

  #recent(key: string): readonly number[] {
    const since = performance.now() - WITHIN_MS;
    return (this.#times.get(key) ?? []).filter((at) => at >= since);
  }
}
