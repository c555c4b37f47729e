import { expect } from 'vitest';
import { errorEnvelope } from '../../contract/error-codes.ts';

export const PUBLIC_DIRECTIVE = 'public, s-maxage=60, stale-while-revalidate=300';

/** Asserts what holds for every refusal of a public operation, and gives the envelope's `error`. */
export async function expectPublicRefusal(response: Response, status: number, code: string) {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  const { error } = errorEnvelope.parse(JSON.parse(text));
  expect(error.code).toBe(code);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  for (const absent of ['cache-control', 'etag', 'ratelimit', 'ratelimit-policy'])
    expect([absent, response.headers.get(absent)]).toEqual([absent, null]);
  expect(response.headers.has('retry-after')).toBe(status === 429);
  return error;
}

/** Asserts what holds for every success of a public operation, and gives its body. */
export async function expectPublicSuccess(response: Response, directive = PUBLIC_DIRECTIVE): Promise<unknown> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  const answerHeaders = Object.fromEntries(
    ['content-type', 'cache-control', 'vary'].map((name) => [name, response.headers.get(name)]),
  );
  expect(answerHeaders).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': directive,
    vary: 'Accept-Encoding',
  });
  expect(response.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
  for (const absent of ['retry-after', 'ratelimit', 'ratelimit-policy', 'set-cookie'])
    expect([absent, response.headers.get(absent)]).toEqual([absent, null]);
  return JSON.parse(text) as unknown;
}

/** A public hit in the shape of the contract. */
export const PUBLIC_HIT = {
  jurisdictionSlug: 'dallas',
  jurisdictionName: 'Dallas',
  bodyName: 'City Council',
  topicSlug: 'zoning',
  meetingAt: '2026-03-04T15:00:00.000Z',
  title: 'Rezone 100 Main Street',
  summary: 'A rezoning is asked for.',
  businessImpact: 'The use of the land may change.',
  evidenceQuote: 'An ordinance rezoning 100 Main Street.',
  sourceUrl: 'https://example.org/item/1',
  confidence: 80,
  affectedLocation: { status: 'stated', locations: [{ kind: 'street_address', sourceText: '100 Main Street' }] },
  proceduralContext: {
    proceduralStage: 'public_hearing',
    actingBodyRole: 'final_decision_maker',
    nextBodyName: null,
    nextMeetingDate: null,
    actionKind: 'unknown',
    actionUrl: null,
  },
} as const;
