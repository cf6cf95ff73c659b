import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import type { Refusal } from '@jinn/team/people/asker';
import type { Identity } from '@jinn/team/people/identity';
import type { Isolation } from '@jinn/toolsets/machine/isolation';
import { ADMIN } from '../request-facts.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const HEALTH_PATH = '/healthz';
const READY_PATH = '/readyz';
const METRICS = 'jinn:metrics';
export const METRICS_PATH = '/metrics';

export interface ServerReadiness {
  isolation(): Promise<Isolation>;
  /** Undefined without a database of the team. */
  readonly database: SharedDatabase['probe'] | undefined;
}

/** Answers probes of the server, without a token and by any name. Returns false for any other path. */
export async function answerProbe(
  path: string,
  response: ServerResponse,
  { isDraining, isolation, database }: ServerReadiness & { readonly isDraining: boolean },
): Promise<boolean> {
  if (path === HEALTH_PATH) sendText(response, 200, 'ok\n');
  else if (path !== READY_PATH) return false;
  else if (isDraining) sendText(response, 503, 'draining\n');
  else {
    // Once it has answered, reading, searching and commands continue without it: a balancer must not take the server away.
    const { isReady, text } = (await database?.()) ?? { isReady: true };
    const sandbox = `sandbox: ${describeIsolation(await isolation())}\n`;
    const more = text === undefined ? '' : `database: ${text}\n`;
    sendText(response, isReady ? 200 : 503, `${isReady ? 'ready' : 'not ready'}\n${sandbox}${more}`);
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
  if (!asker.scopes.includes(METRICS) && !asker.scopes.includes(ADMIN)) {
    const scopes = [...asker.scopes, METRICS] as const;
    return { status: 403, message: `this needs the scope ${METRICS}`, error: 'insufficient_scope', scopes };
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

/** Explains to the operator what follows if commands are not in a sandbox. Undefined if there is nothing to say. */
export function describeLack({ confines, runs, text }: Isolation, isForSeveral: boolean): string | undefined {
  if (confines || (runs && !isForSeveral)) return undefined;
  return runs
    ? `sandbox: ${text}: whoever may execute has the rights of this server, and can read and change what it keeps of everybody`
    : `sandbox: ${text}: no command runs. jinn --doctor says what is missing; --sandbox off runs them with the rights of this server`;
}
