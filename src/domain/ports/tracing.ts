/** Numbers, words and flags; never an id of a key or an account, a secret, or a value of a statement. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes: SpanAttributes;
}

/** A span that whoever began it ends. */
export interface OpenSpan {
  /** Of the trace that it is recorded in; null where it is not recorded. */
  readonly traceId: string | null;
  /** What the work begins becomes part of this span. */
  run<Result>(work: () => Result): Result;
  /** `error` is a short word of a closed set; null for what went well. */
  end(end: { readonly name: string; readonly attributes: SpanAttributes; readonly error: string | null }): void;
}

/** Where time goes, for whoever has asked for traces. Where nobody has there is no `Tracing`, and nothing is wrapped by it. */
export interface Tracing {
  /** A span around the work, part of what is under way or the first of a trace. What the work throws is thrown on. */
  span<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** The same where a span is recorded already, else the work alone: for what also runs every moment without a cause worth a trace. */
  part<Result>(start: SpanStart, work: () => Promise<Result>): Promise<Result>;
  /** The span of a request, which goes on with the trace that its headers name. */
  begin(start: SpanStart, headers: Readonly<Record<string, string | string[] | undefined>>): OpenSpan;
}
