import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { certificateFolder, type MadeCertificate } from '../support/certificates.ts';
import { openWeb } from '../support/web-site.ts';

const HOST = 'www.example.gov';
const certificates = certificateFolder();
let certificate: MadeCertificate;
beforeAll(() => void (certificate = certificates.signed('site', { host: `DNS:${HOST}`, days: 2 })));
afterAll(() => certificates.remove());

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Starts a proxy that connects each tunnel to one HTTPS site, whatever host the client requests. */
async function startTunnels(site: RequestListener) {
  const tunnels: string[] = [];
  const { key, certificate: cert } = certificate;
  const secure = createSecureServer({ key, cert }, site).listen(0, '127.0.0.1');
  const proxy = createServer((_, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
  proxy.on('connect', ({ url }, socket, head) => {
    tunnels.push(url!);
    const target = connect(portOf(secure), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const end of [target, socket]) end.on('error', () => [target, socket].forEach((each) => each.destroy()));
  });
  await Promise.all([once(secure, 'listening'), once(proxy, 'listening')]);
  onTestFinished(() => {
    secure.close().closeAllConnections();
    proxy.close().closeAllConnections();
  });
  const address = `http://127.0.0.1:${portOf(proxy)}`;
  return { tunnels, web: openWeb({ proxies: { httpsProxy: address, noProxy: 'localhost,127.0.0.1,::1' } })() };
}

function trustAuthority(): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(certificate.authorityFile, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(before));
}

test('an HTTPS page is read through the tunnel of a proxy, and a redirect to a private host opens none', async () => {
  trustAuthority();
  const { tunnels, web } = await startTunnels((request, response) => {
    if (request.url === '/list') return response.end('ok');
    return request.url === '/agenda.pdf'
      ? response.writeHead(302, { location: 'https://10.1.2.3/agenda.pdf' }).end()
      : response.writeHead(404).end();
  });
  expect(await web.page(`https://${HOST}/list`)).toMatchObject({ address: `https://${HOST}/list`, text: 'ok' });
  await expect(web.file(`https://${HOST}/agenda.pdf`)).rejects.toThrow('10.1.2.3 is not a public host');
  expect([...new Set(tunnels)]).toEqual([`${HOST}:443`]);
});

test('a certificate in the tunnel that nobody has signed is refused, and the site gets no request', async () => {
  let requests = 0;
  const { web } = await startTunnels((_, response) => {
    requests += 1;
    response.end();
  });
  await expect(web.page(`https://${HOST}/list`)).rejects.toThrow(`the certificate of ${HOST} is not accepted`);
  expect(requests).toBe(0);
});
