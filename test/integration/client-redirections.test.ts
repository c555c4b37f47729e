import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { CivicError, createCivicClient } from '../../client/api/index.ts';

const servers: (() => void)[] = [];
afterEach(() => {
  for (const close of servers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const refusalOf = (baseUrl: string) =>
  createCivicClient({ baseUrl, key: 'crs_secret' })
    .createCivicSnapshot()
    .then(
      () => expect.unreachable('it was followed'),
      (error: unknown) => error as CivicError,
    );

test.each([301, 302, 303, 307, 308])(
  'a redirection of status %i to another port never takes the key there',
  async (status) => {
    const keys: unknown[] = [];
    const elsewhere = await serve(
      ({ headers }, response) => void response.end(`{"data":${keys.push(headers.authorization)}}`),
    );
    const baseUrl = await serve(({ url }, response) =>
      response.writeHead(status, { location: `${elsewhere}${url}` }).end(),
    );
    expect(await refusalOf(baseUrl)).toMatchObject({ code: 'unknown', status });
    expect(keys).toEqual([]);
  },
);

test('a redirection from `http:` to `https:` is an error with the base URL to use', async () => {
  const location = 'https://records.test/civic';
  const baseUrl = await serve(({ url }, response) => response.writeHead(308, { location: `${location}${url}` }).end());
  expect((await refusalOf(baseUrl)).message).toBe(
    `the answer from ${baseUrl} leads to "${location}/api/v1/data/snapshots", which is not followed: if the service is there, use the base URL "${location}"`,
  );
});
