import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWeb, page, startSite } from '../support/web-site.ts';

/** Starts a proxy that answers for every host itself, until the test ends. */
async function startProxy(answers: Readonly<Record<string, RequestListener>>) {
  const hosts: string[] = [];
  const proxy = createServer((request, response) => {
    const { host, pathname } = new URL(request.url!);
    hosts.push(host);
    const answer = answers[`${host}${pathname}`];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => proxy.close().closeAllConnections());
  const noProxy = 'localhost,127.0.0.1,::1';
  return { hosts, proxies: { httpProxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, noProxy } };
}

const redirect =
  (location: string): RequestListener =>
  (_, response) =>
    response.writeHead(302, { location }).end();

describe('behind a proxy', () => {
  test('a redirect to another public host is followed, by the robots.txt of that host', async () => {
    const { hosts, proxies } = await startProxy({
      'www.example.gov/agenda.pdf': redirect('http://files.example.gov/1.pdf'),
      'www.example.gov/minutes.pdf': redirect('http://files.example.gov/private/2.pdf'),
      'files.example.gov/robots.txt': (_, response) => response.end('User-agent: *\nDisallow: /private'),
      'files.example.gov/1.pdf': (_, response) => response.end('%PDF-1.7'),
    });
    const web = openWeb({ proxies })();
    expect(await web.file('http://www.example.gov/agenda.pdf')).toMatchObject({
      address: 'http://files.example.gov/1.pdf',
      mediaType: null,
    });
    await expect(web.file('http://www.example.gov/minutes.pdf')).rejects.toThrow(
      'refused by robots.txt: files.example.gov/private/2.pdf',
    );
    expect([...new Set(hosts)]).toEqual(['www.example.gov', 'files.example.gov']);
  });

  test.each([
    'http://localhost/',
    'http://10.1.2.3/',
    'http://files.internal/',
    'http://metadata/',
    'http://[fd00::1]/',
  ])('a host that is not public is refused by its name or address: %s', async (location) => {
    const { hosts, proxies } = await startProxy({ 'www.example.gov/agenda.pdf': redirect(location) });
    await expect(openWeb({ proxies })().file('http://www.example.gov/agenda.pdf')).rejects.toThrow('is refused: ');
    expect([...new Set(hosts)]).toEqual(['www.example.gov']);
  });

  test('requests to hosts of NO_PROXY are direct, and checked at the connection', async () => {
    const site = await startSite({ '/list': page('ok') });
    const { hosts, proxies } = await startProxy({});
    const open = openWeb({
      proxies: { ...proxies, noProxy: `${proxies.noProxy},direct.example.gov` },
      lookup: (_, options, callback) =>
        options.all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
    });
    expect(await open({ baseUrl: site.url }).page(`${site.url}/list`)).toMatchObject({ text: 'ok' });
    const direct = `http://direct.example.gov:${site.port}`;
    expect(await open({ baseUrl: direct }).page(`${direct}/list`)).toMatchObject({ text: 'ok' });
    await expect(open().page(`${direct}/list`)).rejects.toThrow(`direct.example.gov:${site.port} is not a public host`);
    expect(hosts).toEqual([]);
  });
});
