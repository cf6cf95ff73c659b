import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DURATION_BUCKETS, joinObservers, type RequestObserver, SESSION_BUCKETS } from './request-observer.ts';

export interface Metrics extends RequestObserver {
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
