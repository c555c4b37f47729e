import { z } from 'zod';
import type { Scope } from '../domain/events/account-events.ts';
import type { RejectionCode } from '../domain/rejections.ts';
import { noQuery } from './fields.ts';

/** Parts of the interface with billing rules of their own; each tool also has its `access`. */
export type Surface = 'data' | 'subscriptions' | 'reports' | 'tools';

export const TAGS = {
  'Public records': 'Operations without a key: agenda hits, coverage, source status and meeting cadence.',
  'Change feed': 'The ordered, replayable feed of every change of every record, and look-ups of current records.',
  Snapshots: 'Frozen exports of one position of the feed.',
  Subscriptions: 'Named places in the feed, each bound to one key and one filter, that are polled.',
  Reports: 'Reports of public records that should be here and are not.',
  Tools: 'The same data for agents, by the Model Context Protocol.',
  Documents: 'This description.',
} as const;

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/**
 * Media types of a page: one JSON value, or newline-delimited JSON with an item a line and the page's `{"meta":…}` as
 * the last line.
 */
export const MEDIA_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson' } as const;
export type PageForm = keyof typeof MEDIA_TYPES;
export const PAGE_FORMS = ['json', 'ndjson'] as const satisfies readonly PageForm[];

interface Documented {
  readonly operationId: string;
  /** Path parameters are written as `{name}`. */
  readonly path: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  /** Parameters by name; a test checks each value against its schema. */
  readonly example: {
    readonly parameters: Readonly<Record<string, string | number | boolean>>;
    readonly body?: Examples;
    readonly success?: Examples;
  };
}

/** The contract of one operation. The edge, the conformance tests and the documents derive from it. */
export interface Operation extends Documented {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `public`: no key; `key`: an API key is needed, and every answer is `Cache-Control: no-store`. */
  readonly access: 'public' | 'key';
  /** Null if any active key is accepted, and where no key is needed. */
  readonly scope: Scope | null;
  /** Null if no key is needed. */
  readonly surface: Surface | null;
  /**
   * Set for an operation that changes state: it is refused before it runs if its receipt might exceed the account's
   * `max_response_bytes`.
   */
  readonly writes?: true;
  /** Units of the hourly export allowance that the operation charges. The response reports the rest, also with 0. */
  readonly exportUnits?: 0 | 1;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Names in lower case. */
  readonly headers?: z.ZodType;
  /** Null if a request body is ignored and not read. */
  readonly body: { readonly schema: z.ZodType; readonly maxBytes: number } | null;
  /** `forms`: the client may choose by `Accept`. JSON is the only form if it is absent. */
  readonly success: {
    readonly status: 200 | 201 | 202;
    readonly schema: z.ZodType;
    readonly forms?: readonly PageForm[];
  };
  readonly otherAnswers?: readonly OtherAnswer[];
  /**
   * Refusals in the envelope; `STATUSES` has their statuses. Bad input is `invalid_input` where the list has it, else
   * `invalid_parameter`.
   */
  readonly refusals: readonly RejectionCode[];
  /** Refusals with another status than in `STATUSES`. */
  readonly refusalsAt?: Readonly<Record<number, readonly RejectionCode[]>>;
  /** `Cache-Control` of a public success; errors of public operations have none. */
  readonly cacheControl?: string;
}

export interface OtherAnswer {
  readonly status: number;
  readonly when: string;
  /** Null if the answer has no body. */
  readonly schema: z.ZodType | null;
}

/** No receipt of an operation that writes has more bytes. */
export const MAX_RECEIPT_BYTES = 4_096;

/** A route that refuses every request without reading its body; its answers are `Cache-Control: no-store`. */
export interface ClosedOperation extends Documented {
  readonly method: 'GET' | 'POST';
  readonly access: 'closed';
  readonly refusals: readonly RejectionCode[];
}

/** Keeps the exact schema types of a definition. */
export const operation = <const Definition extends Operation>(definition: Definition): Definition => definition;

/** Shared caches may serve public answers for a minute, and while they revalidate. */
export const PUBLIC_CACHE = 'public, s-maxage=60, stale-while-revalidate=300';
export const PUBLIC_REFUSALS = [
  'invalid_parameter',
  'rate_limited',
  'internal_error',
] as const satisfies readonly RejectionCode[];

export const CUSTOMER_REFUSALS = [
  'unauthorized',
  'forbidden',
  'billing_channel_unset',
  'billing_entitlement_required',
  'invalid_parameter',
  'response_too_large',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
  'feed_unavailable',
  'timeout',
] as const satisfies readonly RejectionCode[];

export const REPORT_REFUSALS = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
] as const satisfies readonly RejectionCode[];

/** Defaults of operations; an operation overrides them. */
export const NO_INPUT = { params: z.strictObject({}), query: noQuery, body: null } as const;
export const PUBLIC_READ = {
  ...NO_INPUT,
  method: 'GET',
  tag: 'Public records',
  access: 'public',
  scope: null,
  surface: null,
  refusals: PUBLIC_REFUSALS,
  cacheControl: PUBLIC_CACHE,
} as const;
export const DATA_READ = {
  ...NO_INPUT,
  access: 'key',
  scope: 'civic:read',
  surface: 'data',
  refusals: CUSTOMER_REFUSALS,
} as const;
export const DATA_EXPORT = { ...DATA_READ, scope: 'civic:export' } as const;
export const SUBSCRIPTION_ACCESS = {
  ...DATA_READ,
  tag: 'Subscriptions',
  surface: 'subscriptions',
  refusals: [...CUSTOMER_REFUSALS, 'feed_subscription_plan_required'],
} as const;
/** A failure of the store is `authentication_unavailable` here, never `feed_unavailable`. */
export const SUBSCRIPTION_UPKEEP_REFUSALS = SUBSCRIPTION_ACCESS.refusals.filter((code) => code !== 'feed_unavailable');
export const REPORT_ACCESS = {
  ...NO_INPUT,
  tag: 'Reports',
  access: 'key',
  scope: null,
  surface: 'reports',
  refusals: REPORT_REFUSALS,
} as const;

export const EMPTY_PROVES_NOTHING = 'An empty answer does not prove that nothing happened.';
