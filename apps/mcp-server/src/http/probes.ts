import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '@jinn/team/people/identity';
import type { Refusal } from '@jinn/team/people/refusal';
import type { Isolation } from '@jinn/toolsets/machine/isolation';
import { ADMIN } from '../request-facts.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const HEALTH_PATH = '/healthz';
const READY_PATH = '/readyz';
export const METRICS_PATH = '/metrics';

export interface ServerReadiness {
  isolation(): Promise<Isolation>;
  /** Reports at once whether the database of the team answers; undefined without one. */
  readonly hasDatabase: (() => Promise<boolean>) | undefined;
}

/** Answers probes of the server, without a token and by any name. Returns false for any other path. */
export async function answerProbe(
  path: string,
  response: ServerResponse,
  { isDraining, isolation, hasDatabase }: ServerReadiness & { readonly isDraining: boolean },
): Promise<boolean> {
  if (path === HEALTH_PATH) sendText(response, 200, 'ok\n');
  else if (path !== READY_PATH) return false;
  else if (isDraining) sendText(response, 503, 'draining\n');
  else {
    // Without it, reading, searching and commands continue: a balancer must not take the server away.
    const database = hasDatabase && `database: ${(await hasDatabase()) ? 'answers' : 'does not answer'}\n`;
    sendText(response, 200, `ready\nsandbox: ${describeIsolation(await isolation())}\n${database ?? ''}`);
  }
  return true;
}

/** Answers with the metrics, or returns why not. */
export async function answerMetrics(
  [request, response]: [IncomingMessage, ServerResponse],
  { identity, metrics }: { identity: Identity; metrics: Metrics },
): Promise<Refusal | undefined> {
  const asker = await identity.identify(request);
  if ('status' in asker) return asker;
  if (!asker.scopes.includes(ADMIN)) {
    const scopes = [...asker.scopes, ADMIN] as const;
    return { status: 403, message: `this needs the scope ${ADMIN}`, error: 'insufficient_scope', scopes };
  }
  sendText(response, 200, await metrics.text(), metrics.contentType);
  return undefined;
}

function sendText(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

function describeIsolation({ confines, runs, text }: Isolation): string {
  if (confines) return text;
  return runs ? 'none: commands have the rights of the server' : 'none: no command runs';
}

/** Explains to the operator what follows if commands are not in a sandbox; undefined if there is nothing to say. */
export function describeLack({ confines, runs, text }: Isolation, isForSeveral: boolean): string | undefined {
  if (confines || (runs && !isForSeveral)) return undefined;
  return runs
    ? `sandbox: ${text}: whoever may execute has the rights of this server, and can read and change what it keeps of everybody`
    : `sandbox: ${text}: no command runs. jinn --doctor says what is missing; --sandbox off runs them with the rights of this server`;
}
