import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Isolation } from '@jinn/toolsets/machine/isolation';
import { describeIsolation } from '../isolation/describe-isolation.ts';
import type { Identity, Refusal } from '../people/identity.ts';
import { ADMIN } from '../people/scopes.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const HEALTH_PATH = '/healthz';
const READY_PATH = '/readyz';
export const METRICS_PATH = '/metrics';

/** What is said of a server that is ready. */
export interface Readiness {
  /** Finds out how commands are confined. */
  isolation(): Promise<Isolation>;
  /** Reports at once whether the database of the team answers; absent if there is none. */
  readonly hasDatabase: (() => Promise<boolean>) | undefined;
}

/** Answers whoever starts or watches the server, without a token and by whatever name. Returns false for any other path. */
export async function answerProbe(
  path: string,
  response: ServerResponse,
  { isDraining, isolation, hasDatabase }: Readiness & { readonly isDraining: boolean },
): Promise<boolean> {
  if (path === HEALTH_PATH) sendText(response, 200, 'ok\n');
  else if (path !== READY_PATH) return false;
  else if (isDraining) sendText(response, 503, 'draining\n');
  else {
    // Without it, reading, searching and commands go on: a balancer must not take the server away.
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
