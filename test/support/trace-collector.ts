import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP's JSON has it, its attributes as a plain object. */
export interface CollectedSpan {
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Attributes of the sender. */
  readonly resource: Readonly<Record<string, unknown>>;
  /** Everything received. */
  readonly received: string;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface ReceivedSpan {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'failed'> & {
        readonly attributes?: readonly Attribute[];
        readonly status?: { readonly code?: number };
      })[];
    }[];
  }[];
}

const plain = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Takes spans over OTLP/HTTP with JSON, as a collector does. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const collector = { url: '', spans: [] as CollectedSpan[], resource: {}, received: '' };
  const take = (text: string): void => {
    collector.received += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as ReceivedSpan).resourceSpans) {
      collector.resource = plain(resource.attributes);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { attributes, status, ...spanFields } = span;
        collector.spans.push({
          ...spanFields,
          parentSpanId: spanFields.parentSpanId ?? '',
          attributes: plain(attributes),
          failed: status?.code === 2,
        });
      }
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      take(Buffer.concat(parts).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(collector, {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
