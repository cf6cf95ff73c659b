import { withTimeout } from '@jinn/core';
import { showName } from '@jinn/team/audit/audit';
import { type Attributes, defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { DURATION_BUCKETS, type ObservedRequest, type RequestObserver, SESSION_BUCKETS } from './request-observer.ts';

const NAME = 'jinn-mcp';
const EXPORT_MS = 60_000;
const FLUSH_MS = 500;

/** Makes the telemetry that the variables OTEL_* describe, which the exporters read by themselves. */
export function createTelemetry({
  version,
  interval,
}: {
  readonly version: string;
  readonly interval: string | undefined;
}): RequestObserver & { close(): Promise<void> } {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const traces = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const exportIntervalMillis = Number(interval) || EXPORT_MS;
  const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis });
  const metrics = new MeterProvider({ resource, readers: [reader] });
  const tracer = traces.getTracer(NAME, version);
  const meter = metrics.getMeter(NAME, version);
  const histogram = (name: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries } });
  const durations = histogram('mcp.server.operation.duration', DURATION_BUCKETS);
  const sessions = histogram('mcp.server.session.duration', SESSION_BUCKETS);
  return {
    begin: (request) => {
      const start = performance.now();
      const named = attributesOf(request);
      const name = request.tool === undefined ? request.method : `${request.method} ${request.tool}`;
      const { id, session, person, meta } = request;
      const details = { 'jsonrpc.request.id': showName(String(id)), 'mcp.session.id': session };
      const attributes = { ...named, ...details, ...(person !== '' && { 'enduser.id': person }) };
      const parent = new W3CTraceContextPropagator().extract(ROOT_CONTEXT, Object(meta), defaultTextMapGetter);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      return (error) => {
        const failed = error === undefined ? {} : { 'error.type': error };
        if (error !== undefined) span.setAttributes(failed).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        durations.record(secondsSince(start), { ...named, ...failed });
      };
    },
    beginSession: () => {
      const start = performance.now();
      return () => sessions.record(secondsSince(start), { 'network.transport': 'tcp' });
    },
    refused: () => undefined,
    close: async () => {
      await withTimeout(Promise.allSettled([traces.shutdown(), metrics.shutdown()]), FLUSH_MS);
    },
  };
}

// Attributes of metrics have few values, so that they can be counted by.
function attributesOf({ method, tool, revision }: ObservedRequest): Attributes {
  return {
    'mcp.method.name': method,
    'network.transport': 'tcp',
    ...(revision !== undefined && { 'mcp.protocol.version': revision }),
    ...(tool !== undefined && { 'gen_ai.tool.name': tool, 'gen_ai.operation.name': 'execute_tool' }),
  };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}
