import * as otel from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Logger } from '../../domain/ports/logger.ts';
import type { SpanStart, Tracing } from '../../domain/ports/tracing.ts';
import { resolveWithin } from '../../plumbing/retry.ts';
import { systemClock } from '../system/clock.ts';

/** Longest wait for a collector when the program ends, in milliseconds. */
const FLUSH_MS = 3_000;
const WARN_EVERY_MS = 60_000;
const NAME = 'civic-records';

/**
 * Starts OpenTelemetry, which reads its standard environment variables itself. While the collector is unreachable,
 * spans are dropped and a warning is logged once a minute.
 */
export function openTracing(logger: Logger, version: string): Tracing & { close(): Promise<void> } {
  const resource = resources.resourceFromAttributes({ 'service.name': NAME, 'service.version': version });
  const sdk = new NodeSDK({
    resource: resources.defaultResource().merge(resource),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  logWarnings(logger);
  sdk.start();
  const tracer = otel.trace.getTracer(NAME, version);
  const open = (start: SpanStart, parent: otel.Context): otel.Span =>
    tracer.startSpan(
      start.name,
      { kind: otel.SpanKind[start.kind.toUpperCase() as Uppercase<SpanStart['kind']>], attributes: start.attributes },
      parent,
    );

  const span: Tracing['span'] = async (start, work) => {
    const parent = otel.context.active();
    const opened = open(start, parent);
    try {
      return await otel.context.with(otel.trace.setSpan(parent, opened), work);
    } catch (error) {
      const type = error instanceof Error ? error.name : 'unknown';
      opened.setAttribute('error.type', type).setStatus({ code: otel.SpanStatusCode.ERROR });
      throw error;
    } finally {
      opened.end();
    }
  };
  return {
    span,
    part: (start, work) => (otel.trace.getActiveSpan()?.isRecording() === true ? span(start, work) : work()),
    begin(start, headers) {
      const parent = otel.propagation.extract(otel.ROOT_CONTEXT, headers);
      const opened = open(start, parent);
      const inside = otel.trace.setSpan(parent, opened);
      return {
        traceId: opened.isRecording() ? opened.spanContext().traceId : null,
        run: (work) => otel.context.with(inside, work),
        end({ name, attributes, error }) {
          opened.updateName(name).setAttributes(attributes);
          if (error !== null) opened.setAttribute('error.type', error).setStatus({ code: otel.SpanStatusCode.ERROR });
          opened.end();
        },
      };
    },
    async close() {
      await resolveWithin(systemClock, FLUSH_MS, () => sdk.shutdown()).catch(() => undefined);
    },
  };
}

/** Logs warnings of the library, at most one a minute. Removes addresses, which might contain a password. */
function logWarnings(logger: Logger): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (...words: readonly unknown[]): void => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    const message = words.map((word) => (word instanceof Error ? word.message : String(word))).join(' ');
    logger.warn(
      { reason: message.replaceAll(/\b\w+:\/\/\S+/g, '(address)').slice(0, 300) },
      'traces could not be exported',
    );
  };
  const silent = (): void => undefined;
  const diagnostics = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  otel.diag.setLogger(diagnostics, { logLevel: otel.DiagLogLevel.WARN, suppressOverrideMessage: true });
}
