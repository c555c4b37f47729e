/** Numbers, words and flags; never an id of a key or an account, a secret, or a value of a statement. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes: SpanAttributes;
}

export interface OpenSpan {
  /** Null where the span is not recorded. */
  readonly traceId: string | null;
  /** Spans begun by the work become children of this span. */
  run<Result>(work: () => Result): Result;
  /** `error` is a word of a closed set; null for success. */
  end(end: { readonly name: string; readonly attributes: SpanAttributes; readonly error: string | null }): void;
}

/** Spans of the program. Where traces are off there is no `Tracing`, and nothing is wrapped. */
export interface Tracing {
  /** Runs the work in a span: a child of the active span, or the root of a trace. Rethrows what the work throws. */
  span<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** Like `span` inside a recorded span; otherwise runs the work alone, for periodic work that is no trace of its own. */
  part<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** The span of a request; continues the trace that its headers name. */
  begin(start: SpanStart, headers: Readonly<Record<string, string | string[] | undefined>>): OpenSpan;
}
