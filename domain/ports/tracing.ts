/** Attributes of a span. Must not contain ids of keys or accounts, secrets, or values of statements. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes: SpanAttributes;
}

export interface OpenSpan {
  /** Null if the span is not recorded. */
  readonly traceId: string | null;
  /** Runs work whose spans become children of this span. */
  run<Result>(work: () => Result): Result;
  /** Ends the span. `error` is a word of a closed set; null for success. */
  end(end: { readonly name: string; readonly attributes: SpanAttributes; readonly error: string | null }): void;
}

/** Creates spans. If tracing is off, there is no `Tracing` and nothing is wrapped. */
export interface Tracing {
  /** Runs work in a span: a child of the active span, or the root of a trace. Rethrows errors of the work. */
  span<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /**
   * Like `span` within a recorded span; otherwise runs the work without one. Use it for periodic work that needs no
   * trace.
   */
  part<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** Starts the span of a request, and continues the trace that its headers name. */
  begin(start: SpanStart, headers: Readonly<Record<string, string | string[] | undefined>>): OpenSpan;
}
