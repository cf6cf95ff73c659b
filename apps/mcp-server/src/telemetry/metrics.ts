import type { DatabaseFigures } from '@jinn/team/database/open-postgres';
import type { Running } from '@jinn/team/limits/person-limits';
import type { CountedAuditLog } from '@jinn/team/open-team';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DURATION_BUCKETS, joinObservers, type RequestObserver, SESSION_BUCKETS } from './request-observer.ts';

/** Figures of a server, read when its metrics are. */
export interface ServerFigures {
  running(): Running;
  readonly audit: Pick<CountedAuditLog, 'counts' | 'backlog'>;
  readonly database: (() => DatabaseFigures) | undefined;
}

export interface Metrics extends RequestObserver {
  /** Shows these figures from now on. */
  show(figures: ServerFigures): void;
  readonly contentType: string;
  text(): Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'How long requests of MCP took.',
    labelNames: ['mcp_method_name', 'gen_ai_tool_name', 'error_type'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const running = new Gauge({ name: 'jinn_requests_running', help: 'Requests of MCP that run.', registers });
  const sessionDurations = new Histogram({
    name: 'mcp_server_session_duration_seconds',
    help: 'How long sessions lasted.',
    buckets: SESSION_BUCKETS,
    registers,
  });
  const sessions = new Gauge({ name: 'jinn_sessions', help: 'Sessions of HTTP that are open.', registers });
  const refusals = new Counter({
    name: 'jinn_http_refusals_total',
    help: 'Requests of HTTP that were refused.',
    labelNames: ['status'],
    registers,
  });
  return {
    show: (figures) => showFigures(registers, figures),
    contentType: registry.contentType,
    text: () => registry.metrics(),
    begin: ({ method, tool = '' }) => {
      running.inc();
      const end = durations.startTimer({ mcp_method_name: method, gen_ai_tool_name: tool });
      return (error = '') => {
        running.dec();
        end({ error_type: error });
      };
    },
    beginSession: () => {
      sessions.inc();
      const end = sessionDurations.startTimer();
      return () => {
        sessions.dec();
        end();
      };
    },
    refused: (status) => refusals.inc({ status }),
  };
}

function showFigures(registers: Registry[], { running, audit, database }: ServerFigures): void {
  const show = (Kind: typeof Counter | typeof Gauge, name: string, help: string, read: () => number) =>
    new Kind({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  show(Gauge, 'jinn_commands', 'Calls that execute, and run.', () => running().commands);
  show(Gauge, 'jinn_jobs', 'Background jobs that run.', () => running().jobs);
  show(Gauge, 'jinn_audit_waiting', 'Events that wait for the database.', () => audit.backlog().waiting);
  show(Counter, 'jinn_audit_lost_total', 'Events that are in no audit log.', () => audit.backlog().lost);
  new Counter({
    ...{ name: 'jinn_audit_events_total', help: 'Events of the audit log, and answers to approval requests.' },
    ...{ labelNames: ['event', 'answer'], registers },
    collect() {
      this.reset();
      for (const [name, count] of audit.counts) {
        const [event = '', answer = ''] = name.split(' ');
        this.inc({ event, answer }, count);
      }
    },
  });
  if (database === undefined) return;
  const of = (figure: keyof DatabaseFigures) => () => database()[figure];
  show(Gauge, 'jinn_database_connections', 'Connections to the database.', of('connections'));
  show(Counter, 'jinn_database_statements_total', 'Statements for the database.', of('statements'));
  show(Counter, 'jinn_database_failures_total', 'Statements that failed.', of('failures'));
  show(Counter, 'jinn_database_seconds_total', 'How long statements took.', of('seconds'));
}

/** Opens the observers of an HTTP server. OpenTelemetry is loaded only if the environment names a collector. */
export async function openObservers(environment: NodeJS.ProcessEnv, version: string) {
  const metrics = createMetrics();
  const isOn = environment['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true';
  const names = ['', '_TRACES', '_METRICS'].map((signal) => `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`);
  if (!isOn || !names.some((name) => environment[name]))
    return { observer: metrics, metrics, close: async () => undefined };
  const { createTelemetry } = await import('./telemetry.ts');
  const telemetry = createTelemetry({ version, interval: environment['OTEL_METRIC_EXPORT_INTERVAL'] });
  return { observer: joinObservers([metrics, telemetry]), metrics, close: telemetry.close };
}
