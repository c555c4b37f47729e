import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { nightlyDescribe } from '../support/nightly-test.ts';
import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { certificateFolder, type MadeCertificate } from '../support/certificates.ts';
import { freshStream, newEvents } from '../support/event-log-builders.ts';
import { makeInstallation } from '../support/service.ts';

const folder = certificateFolder();
const installation = makeInstallation('civic-certificates-');
afterAll(async () => {
  folder.remove();
  await installation.close();
});
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
/** A server behind TLS, such as the log or a broker, that no client gets past its certificate. */
const tlsServer = ({ key, certificate: cert }: MadeCertificate): Promise<number> =>
  listening(
    createTlsServer({ key, cert, ALPNProtocols: ['h2'] }, (socket) => void socket.on('error', () => undefined)).on(
      'tlsClientError',
      () => undefined,
    ),
  );
/** A server that switches to TLS on request, as PostgreSQL does. */
const postgresqlServer = ({ key, certificate: cert }: MadeCertificate): Promise<number> =>
  listening(
    createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write('S');
          new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
        });
    }),
  );

const HERE = { host: 'IP:127.0.0.1', days: 2 };
const CASES: readonly (readonly [string, () => MadeCertificate, boolean])[] = [
  ['it is self-signed', () => folder.selfSigned(), false],
  ['its authority is unknown', () => folder.signed('unknown', HERE), false],
  ['it is for another host name', () => folder.signed('elsewhere', { ...HERE, host: 'DNS:log.example.org' }), true],
  ['it has expired', () => folder.signed('expired', { ...HERE, days: -1 }), true],
];

const addressOf = (port: number, certificate: MadeCertificate, trusted: boolean): string =>
  `esdb://127.0.0.1:${port}?tls=true${trusted ? `&tlsCAFile=${encodeURIComponent(certificate.authorityFile)}` : ''}`;

describe.each(CASES)("a certificate of the log's server of which %s", (reason, make, trusted) => {
  test('is named by every read and append, and by nothing else', async () => {
    const certificate = make();
    const port = await tlsServer(certificate);
    const log = openKurrentLog({ url: addressOf(port, certificate, trusted), deadlineMs: 30_000 });
    try {
      const message = `the certificate of the log's server 127.0.0.1:${port} is refused: ${reason}; correct it`;
      const append = { stream: freshStream(), expectedRevision: -1, events: newEvents(1) };
      for (const failing of [log.head(), log.append(append)]) {
        const error = await failing.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(LogUnavailable);
        expect((error as Error).message).toContain(message);
      }
    } finally {
      await log.close();
    }
  });
});

test('an unreachable log server is not reported as one with a refused certificate', async () => {
  const log = openKurrentLog({ url: 'esdb://127.0.0.1:1?tls=true', deadlineMs: 30_000 });
  await expect(log.head()).rejects.toThrow('the log could not be reached, or went away');
  await log.close();
});

nightlyDescribe('a self-signed certificate', () => {
  test('of EVENTSTORE_URL is named by a start, by a command and by the doctor', async () => {
    const port = await tlsServer(folder.selfSigned());
    const env = { EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=true` };
    const message = `the certificate of the log's server 127.0.0.1:${port} is refused: it is self-signed`;
    const command = await installation.civicHere(['records', 'export'], { env });
    expect(command).toMatchObject({ exitCode: 1, stdout: '' });
    expect(command.stderr).toContain(message);
    const start = await installation.civic(['serve'], { env });
    expect(start.exitCode).toBe(1);
    expect(start.stderr).toContain(message);
    const doctor = await installation.civicHere(['doctor'], { env });
    expect(doctor.stdout).toContain(message);
  });

  test('of DATABASE_URL and of KAFKA_BROKERS is named by the doctor, and that of DATABASE_URL by a command', async () => {
    const certificate = folder.selfSigned();
    const env = {
      DATABASE_URL: `postgres://me:s3cret@127.0.0.1:${await postgresqlServer(certificate)}/civic?sslmode=verify-full`,
      KAFKA_BROKERS: `127.0.0.1:${await tlsServer(certificate)}`,
      CIVIC_KAFKA_TLS: 'on',
    };
    const doctor = await installation.civicHere(['doctor'], { env });
    expect(doctor.stdout).toMatch(/the certificate of the database \S+ is refused: it is self-signed; correct it/);
    expect(doctor.stdout).toMatch(/brokers +failed +the certificate of the brokers is not trusted: it is self-signed/);
    const command = await installation.civicHere(['records', 'export'], { env });
    expect(command.stderr).toMatch(
      /^civic: the certificate of the database \S+ is refused: it is self-signed; correct it, [^\n]+\n$/,
    );
    expect(doctor.stdout + command.stderr).not.toContain('s3cret');
  });
});
