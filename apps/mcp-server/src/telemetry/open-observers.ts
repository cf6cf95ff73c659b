import { createMetrics, type Metrics } from './metrics.ts';
import { joinObservers, type Observer } from './request-observer.ts';

export interface Observers {
  readonly observer: Observer;
  readonly metrics: Metrics;
  /** Sends what is left, and closes. */
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the observers of an HTTP server. OpenTelemetry is loaded only if the environment names a collector. */
export async function openObservers(environment: Environment, version: string): Promise<Observers> {
  const metrics = createMetrics();
  if (!namesCollector(environment)) return { observer: metrics, metrics, close: async () => undefined };
  const { createTelemetry } = await import('./telemetry.ts');
  const telemetry = createTelemetry({ version, interval: environment['OTEL_METRIC_EXPORT_INTERVAL'] });
  return { observer: joinObservers([metrics, telemetry]), metrics, close: telemetry.close };
}

function namesCollector(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const names = ['', '_TRACES', '_METRICS'].map((signal) => `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`);
  return names.some((name) => environment[name]);
}
