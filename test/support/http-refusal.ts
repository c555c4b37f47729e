import { expect } from 'vitest';
import { errorEnvelope } from '../../contract/error-codes.ts';

/** Asserts what holds for every refusal on a customer path, and gives the envelope's `error`. */
export async function expectRefusal(response: Response, status: number, code: string) {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  const { error } = errorEnvelope.parse(JSON.parse(text));
  expect(error.code).toBe(code);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.has('retry-after')).toBe(status === 429);
  // Its page: `test/conformance/pages-edge.test.ts` reads the pages of all codes.
  expect(error.details).toMatchObject({ docs: `${new URL(response.url).origin}/docs/errors/${code}` });
  return error;
}
