import { gzipSync } from 'node:zlib';
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { RecordGone } from '../../domain/ports/source-ports.ts';
import { openWeb, page, redirect, sleepingClock, startSite, status } from '../support/web-site.ts';

const PDF = { 'content-type': 'application/pdf', etag: '"v1"', 'last-modified': 'Mon, 02 Mar 2026 10:00:00 GMT' };

describe('an answer', () => {
  test('is a page with its text, and a document with its validator', async () => {
    const site = await startSite({
      '/list': page('<h1>Agendas</h1>'),
      '/agenda.pdf': status(200, PDF, '%PDF-1.7'),
    });
    const web = openWeb()({ baseUrl: site.url });
    expect(await web.page(`${site.url}/list`)).toEqual({
      address: `${site.url}/list`,
      mediaType: 'text/html',
      text: '<h1>Agendas</h1>',
    });
    expect(await web.file(`${site.url}/agenda.pdf`)).toEqual({
      address: `${site.url}/agenda.pdf`,
      mediaType: 'application/pdf',
      validator: { etag: '"v1"', lastModified: 'Mon, 02 Mar 2026 10:00:00 GMT' },
      bytes: Buffer.from('%PDF-1.7'),
    });
  });

  test('is null for a document that has not changed', async () => {
    const site = await startSite({
      '/agenda.pdf': ({ headers }, response) =>
        response.writeHead(headers['if-none-match'] === '"v1"' ? 304 : 200, PDF).end(),
    });
    const web = openWeb()({ baseUrl: site.url });
    expect(await web.file(`${site.url}/agenda.pdf`, { etag: '"v1"' })).toBeNull();
    expect(await web.file(`${site.url}/agenda.pdf`, { etag: '"v0"' })).toMatchObject({ mediaType: 'application/pdf' });
  });

  test('ignores a tag without content, which some servers send for every file', async () => {
    const site = await startSite({ '/agenda.pdf': status(200, { ...PDF, etag: '" "' }, '%PDF-1.7') });
    const file = await openWeb()({ baseUrl: site.url }).file(`${site.url}/agenda.pdf`);
    expect(file?.validator).toEqual({ lastModified: 'Mon, 02 Mar 2026 10:00:00 GMT' });
  });

  test('names the program and its operator to the site', async () => {
    const agents: unknown[] = [];
    const site = await startSite({
      '/list': ({ headers }, response) => response.end(agents.push(headers['user-agent']) && ''),
    });
    await openWeb({ contact: 'mailto:clerk@example.org' })({ baseUrl: site.url }).page(`${site.url}/list`);
    await openWeb()({ baseUrl: site.url }).page(`${site.url}/list`);
    expect(agents).toEqual(['civic-records/1.0 (+clerk@example.org)', 'civic-records/1.0']);
  });

  test('to a form is requested by POST, and a redirect of it by GET', async () => {
    const requestedPaths: string[] = [];
    const site = await startSite({
      '/search': (request, response) => {
        request.setEncoding('utf8').on('data', (body: string) => requestedPaths.push(`${request.method} ${body}`));
        request.on('end', () => response.writeHead(302, { location: '/results' }).end());
      },
      '/results': ({ method }, response) => response.end(String(requestedPaths.push(`${method}`))),
    });
    await openWeb()({ baseUrl: site.url }).page(`${site.url}/search`, { catID: '3', year: '2026' });
    expect(requestedPaths).toEqual(['POST catID=3&year=2026', 'GET']);
  });

  test.each([404, 410])('with status %i means that the record is gone', async (code) => {
    const site = await startSite({ '/agenda.pdf': status(code) });
    const web = openWeb()({ baseUrl: site.url });
    await expect(web.file(`${site.url}/agenda.pdf?key=secret`)).rejects.toThrow(
      new RecordGone(`${site.host}/agenda.pdf is gone (status ${code})`),
    );
  });
});

describe('an address of the platform', () => {
  test('is requested at the named host, and stays the address of the answer', async () => {
    const site = await startSite({
      '/recorded/AgendaCenter': redirect('https://www.example.gov/AgendaCenter/List'),
      '/recorded/AgendaCenter/List': page('list'),
      '/recorded/agenda.pdf': redirect('files/1.pdf'),
      '/recorded/files/1.pdf': status(200, PDF),
    });
    const web = openWeb()({ baseUrl: `${site.url}/recorded/`, site: 'https://www.example.gov' });
    expect(await web.page('https://www.example.gov/AgendaCenter')).toMatchObject({
      address: 'https://www.example.gov/AgendaCenter/List',
      text: 'list',
    });
    expect(await web.file('https://www.example.gov/agenda.pdf?id=1')).toMatchObject({
      address: 'https://www.example.gov/files/1.pdf',
    });
    expect(site.requests()).toContain('/recorded/agenda.pdf?id=1');
  });

  test('of a host that is not public is replaced as well', async () => {
    const site = await startSite({ '/list': redirect('http://localhost:8080/other'), '/other': page('other') });
    const web = openWeb()({ baseUrl: site.url, site: 'http://localhost:8080' });
    expect(await web.page('http://localhost:8080/list')).toMatchObject({ address: 'http://localhost:8080/other' });
  });

  test('of another host is not', async () => {
    const site = await startSite({});
    const web = openWeb()({ baseUrl: site.url, site: 'https://www.example.gov' });
    await expect(web.page('https://localhost/list')).rejects.toThrow('localhost is not a public host');
    expect(site.all).toEqual([]);
  });
});

describe('an answer that is too large or too slow', () => {
  const MEBIBYTE = Buffer.alloc(1024 * 1024, 'a');

  test('of a body without an end fails at 60 MiB', async () => {
    const site = await startSite({
      '/endless.pdf': (_, response) => {
        const write = (): void => {
          while (!response.destroyed && response.write(MEBIBYTE));
          response.once('drain', write);
        };
        write();
      },
    });
    await expect(openWeb()({ baseUrl: site.url }).file(`${site.url}/endless.pdf`)).rejects.toThrow(
      `${site.host}/endless.pdf: the answer is over ${60 * 1024 * 1024} bytes`,
    );
  });

  test('is measured after it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024), { level: 9 });
    const bombed = await startSite({
      '/list': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    });
    expect(bomb.length).toBeLessThan(100_000);
    await expect(openWeb()({ baseUrl: bombed.url }).page(`${bombed.url}/list`)).rejects.toThrow(
      `${bombed.host}/list: the answer is over ${16 * 1024 * 1024} bytes`,
    );
  });

  test('of a body that stops fails at the deadline', async () => {
    const site = await startSite({ '/slow': (_, response) => response.write('<html>') });
    await expect(openWeb()({ baseUrl: site.url, timeoutMs: 60 }).page(`${site.url}/slow`)).rejects.toThrow(
      `${site.host}/slow could not be read: no whole answer within 60 ms`,
    );
  });

  test('ends at once when the process stops', async () => {
    const stopping = new AbortController();
    const site = await startSite({ '/slow': () => stopping.abort(new Error('stopping')) });
    const web = openWeb()({ baseUrl: site.url, signal: stopping.signal });
    await expect(web.page(`${site.url}/slow`)).rejects.toThrow('stopping');
  });
});

describe('a host that is not public', () => {
  const addressOf =
    (address: string): LookupFunction =>
    (_, options, callback) =>
      options.all === true
        ? callback(null, [{ address, family: address.includes(':') ? 6 : 4 }])
        : callback(null, address, address.includes(':') ? 6 : 4);

  test.each([
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://localhost/',
    'http://metadata.google.internal/',
    'http://intranet/',
    'http://user:secret@www.example.gov/',
    'ftp://www.example.gov/agenda.pdf',
    'file:///etc/passwd',
  ])('is refused as the target of a redirect: %s', async (location) => {
    const site = await startSite({ '/agenda.pdf': redirect(location) });
    const failure = openWeb()({ baseUrl: site.url }).file(`${site.url}/agenda.pdf`);
    await expect(failure).rejects.toThrow(`a redirect of ${site.host}/agenda.pdf is refused: `);
    await expect(failure).rejects.not.toThrow('secret');
  });

  test('is refused as a link, also on another port of the named host', async () => {
    const site = await startSite({});
    const other = await startSite({ '/agenda.pdf': status(200) });
    await expect(openWeb()({ baseUrl: site.url }).file(`${other.url}/agenda.pdf`)).rejects.toThrow(
      `${other.host} is not a public host`,
    );
    await expect(openWeb()({}).file(`${other.url}/agenda.pdf`)).rejects.toThrow(`${other.host} is not a public host`);
    expect(other.all).toEqual([]);
  });

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fd00:ec2::254',
    'ff02::1',
    '::',
  ])('is refused when a public name leads to %s at the connection', async (address) => {
    const site = await startSite({ '/agenda.pdf': status(200) });
    const web = openWeb({ lookup: addressOf(address) })({});
    await expect(web.file(`http://files.example.gov:${site.port}/agenda.pdf`)).rejects.toThrow(
      `files.example.gov:${site.port} is not a public host`,
    );
    expect(site.all).toEqual([]);
  });

  test('is not reached by a name that changes its address after a redirect', async () => {
    const site = await startSite({
      '/agenda.pdf': (request, response) =>
        redirect(`http://rebound.example.gov:${site.port}/private`)(request, response),
      '/private': status(200),
    });
    const lookup: LookupFunction = addressOf('127.0.0.1');
    const web = openWeb({ lookup })({ baseUrl: `http://www.example.gov:${site.port}` });
    await expect(web.file(`http://www.example.gov:${site.port}/agenda.pdf`)).rejects.toThrow('is not a public host');
    expect(site.requests()).toEqual(['/agenda.pdf']);
  });
});

describe('a redirect', () => {
  test('is followed within the site, five times at most', async () => {
    const site = await startSite({
      '/a': redirect('/b', 301),
      '/b': redirect('c', 307),
      '/c': page('here'),
      '/loop': redirect('/loop'),
    });
    const web = openWeb()({ baseUrl: site.url });
    expect(await web.page(`${site.url}/a`)).toMatchObject({ address: `${site.url}/c`, text: 'here' });
    await expect(web.page(`${site.url}/loop`)).rejects.toThrow(`${site.host}/loop redirects more than 5 times`);
    expect(site.requests().filter((path) => path === '/loop')).toHaveLength(6);
  });

  test('to a login page is a reason', async () => {
    const site = await startSite({
      '/agenda.pdf': redirect('/Account/Login.aspx?ReturnUrl=%2Fagenda.pdf'),
      '/Account/Login.aspx': page('<form>'),
    });
    await expect(openWeb()({ baseUrl: site.url }).file(`${site.url}/agenda.pdf`)).rejects.toThrow(
      `${site.host}/agenda.pdf redirects to a login page at ${site.host}`,
    );
  });
});

describe('a page in place of the requested one', () => {
  const AKAMAI =
    '<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18';

  test.each([
    ['status 403 of Akamai', 403, {}, AKAMAI, 'refused with status 403 (Akamai refuses automated requests)'],
    [
      'status 200 with a script',
      200,
      { 'content-type': 'text/html' },
      `<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'" />`,
      'status 200 with a page of Akamai that refuses automated requests',
    ],
    [
      'status 503 of Cloudflare',
      503,
      { 'cf-mitigated': 'challenge' },
      '<title>Just a moment...</title>',
      'status 503 (Cloudflare refuses automated requests)',
    ],
  ])('is a reason: %s', async (_, code, headers, body, reason) => {
    const site = await startSite({ '/AgendaCenter': status(code, headers, body) });
    await expect(openWeb()({ baseUrl: site.url }).page(`${site.url}/AgendaCenter?key=secret`)).rejects.toThrow(
      `${site.host}/AgendaCenter could not be read: ${reason}`,
    );
  });

  test('is returned with its media type for a document, unless it asks for a password', async () => {
    const site = await startSite({
      '/agenda.pdf': page('<p>The file is not available.</p>'),
      '/packet.pdf': page('<form><input name="p" type="password"></form>'),
    });
    const web = openWeb()({ baseUrl: site.url });
    expect(await web.file(`${site.url}/agenda.pdf`)).toMatchObject({ mediaType: 'text/html' });
    await expect(web.file(`${site.url}/packet.pdf`)).rejects.toThrow(
      `${site.host}/packet.pdf is a login page, not a document`,
    );
  });

  test('is a reason for a page that is a document', async () => {
    const site = await startSite({ '/list': status(200, PDF, '%PDF-1.7') });
    await expect(openWeb()({ baseUrl: site.url }).page(`${site.url}/list`)).rejects.toThrow(
      `${site.host}/list is application/pdf, not a page`,
    );
  });
});

describe('a site that refuses', () => {
  test('is requested again after the wait that it demands', async () => {
    let requests = 0;
    const site = await startSite({
      '/list': (request, response) =>
        (requests++ === 0 ? status(429, { 'retry-after': '7' }) : page('ok'))(request, response),
    });
    const clock = sleepingClock();
    expect(await openWeb({ clock })({ baseUrl: site.url }).page(`${site.url}/list`)).toMatchObject({ text: 'ok' });
    // The pause after robots.txt, then that of the answer.
    expect(clock.sleeps).toEqual([1_000, 7_000]);
  });

  test('is requested three times with growing pauses, which its other sources wait for too', async () => {
    const site = await startSite({ '/list': status(403), '/other': page('ok') });
    const clock = sleepingClock();
    const open = openWeb({ clock });
    await expect(open({ baseUrl: site.url }).page(`${site.url}/list`)).rejects.toThrow(
      `${site.host}/list could not be read: refused with status 403`,
    );
    expect(clock.sleeps).toEqual([1_000, 2_000, 4_000]);
    await open({ baseUrl: site.url }).page(`${site.url}/other`);
    await open({ baseUrl: site.url }).page(`${site.url}/other`);
    expect(clock.sleeps.slice(3)).toEqual([8_000, 1_000]);
  });

  test('is not requested while its pause is long', async () => {
    const site = await startSite({ '/list': status(503, { 'retry-after': '86400' }), '/other': page('ok') });
    const clock = sleepingClock();
    const web = openWeb({ clock })({ baseUrl: site.url });
    const reason = `requests to ${site.host} are paused after its last failure: status 503`;
    await expect(web.page(`${site.url}/list`)).rejects.toThrow(reason);
    await expect(web.page(`${site.url}/other`)).rejects.toThrow(reason);
    expect(site.requests()).toEqual(['/list']);
    clock.move(60 * 60_000);
    expect(await web.page(`${site.url}/other`)).toMatchObject({ text: 'ok' });
  });
});

describe('requests to a host', () => {
  test('run one at a time in their order, with a pause after each, over all sources', async () => {
    const [running, most]: [Set<unknown>, number[]] = [new Set(), []];
    const slow = page('ok');
    const site = await startSite(
      Object.fromEntries(
        ['/1', '/2', '/3', '/4'].map((path) => [
          path,
          (request, response) => {
            most.push(running.add(path).size);
            setImmediate(() => {
              running.delete(path);
              slow(request, response);
            });
          },
        ]),
      ),
    );
    const clock = sleepingClock();
    const open = openWeb({ clock });
    const [first, second] = [open({ baseUrl: site.url }), open({ baseUrl: site.url })];
    await first.page(`${site.url}/1`);
    await Promise.all([first.page(`${site.url}/2`), second.page(`${site.url}/3`), first.page(`${site.url}/4`)]);
    expect([site.requests(), most]).toEqual([
      ['/1', '/2', '/3', '/4'],
      [1, 1, 1, 1],
    ]);
    expect(clock.sleeps).toEqual([1_000, 1_000, 1_000, 1_000]);
  });
});

describe('robots.txt', () => {
  const rules = (text: string) => status(200, { 'content-type': 'text/plain' }, text);

  test('refuses the paths that it names, is read once an hour, and can be overridden for a source', async () => {
    const answers = { '/robots.txt': rules('User-agent: *\nDisallow: /AgendaCenter'), '/AgendaCenter': page('list') };
    const site = await startSite({ ...answers, '/about': page('about') });
    const clock = sleepingClock();
    const open = openWeb({ clock });
    const web = open({ baseUrl: site.url });
    await expect(web.page(`${site.url}/AgendaCenter?key=secret`)).rejects.toThrow(
      /^refused by robots\.txt: \/AgendaCenter$/,
    );
    expect(await web.page(`${site.url}/about`)).toMatchObject({ text: 'about' });
    expect(await open({ baseUrl: site.url, ignoresRobots: true }).page(`${site.url}/AgendaCenter`)).toMatchObject({
      text: 'list',
    });
    expect(site.all).toEqual(['/robots.txt', '/about', '/AgendaCenter']);
    clock.move(60 * 60_000);
    await web.page(`${site.url}/about`);
    expect(site.all.filter((path) => path === '/robots.txt')).toHaveLength(2);
  });

  test.each([401, 403, 404])('with status %i permits everything', async (code) => {
    const site = await startSite({ '/robots.txt': status(code), '/list': page('ok') });
    expect(await openWeb()({ baseUrl: site.url }).page(`${site.url}/list`)).toMatchObject({ text: 'ok' });
  });

  test.each([429, 500, 503])('with status %i permits nothing until it is readable', async (code) => {
    let isBroken = true;
    const site = await startSite({
      '/robots.txt': (request, response) => (isBroken ? status(code) : rules(''))(request, response),
      '/list': page('ok'),
    });
    const web = openWeb()({ baseUrl: site.url });
    await expect(web.page(`${site.url}/list`)).rejects.toThrow(
      new RegExp(`^${site.host}/robots\\.txt could not be read: .*status ${code}$`),
    );
    expect(site.requests()).toEqual([]);
    isBroken = false;
    expect(await web.page(`${site.url}/list`)).toMatchObject({ text: 'ok' });
  });
});
