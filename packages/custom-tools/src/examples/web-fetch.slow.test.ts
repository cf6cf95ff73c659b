import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { countProcessorTime } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../examples/tools/web-fetch');
const PAGE = `<!doctype html><html><head><title>A &amp; B</title><style>p { color: red }</style></head>
<body><nav>menu</nav><h1>Title</h1><p>Text with <b>bold</b>, <code>code</code> and a
<a href="/other?a=1&amp;b=2">link</a>.</p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<ol><li>first<li>second</ol><pre>x  = 1
y</pre><blockquote><p>quoted</p></blockquote>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<a href="javascript:alert(1)">no link</a><script>document.write("</p>")</script>1 < 2</body></html>`;

/** Serves pages on this machine. */
async function serve(handle: http.RequestListener) {
  const urls: string[] = [];
  const server = http.createServer((request, response) => {
    urls.push(`${request.headers.host?.replace(/:\d+$/, '')}${request.url}`);
    return handle(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, urls };
}

const ALLOWED = { variables: { WEB_FETCH_PRIVATE_HOSTS: '127.0.0.1' } };

test('returns a page as Markdown', async () => {
  const { port } = await serve((request, response) => {
    if (request.url === '/old') response.writeHead(302, { location: '/page' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  const { call } = await openExample('web-fetch', ALLOWED);
  const { output, shown, warnings } = await call({ url: `http://127.0.0.1:${port}/old` });
  const url = `http://127.0.0.1:${port}/page`;
  expect(output).toMatchObject({ url, title: 'A & B' });
  expect(String(output['content']).replaceAll(String(port), 'PORT')).toMatchInlineSnapshot(`
    "# Title

    Text with **bold**, \`code\` and a [link](http://127.0.0.1:PORT/other?a=1&b=2).

    - one
      - inner
    - two

    1. first
    2. second

    \`\`\`
    x  = 1
    y
    \`\`\`

    > quoted

    | A | B |
    | --- | --- |
    | 1 | 2 |

    no link1 < 2"
  `);
  const content = output['content'];
  expect(shown).toEqual({ type: 'markdown', content, sourceUrl: url, title: 'A & B' });
  expect(warnings).toEqual([]);
});

test.each([
  ['http://127.0.0.1:PORT/', '127.0.0.1 is a private address'],
  ['http://127.1:PORT/', '127.0.0.1 is a private address'],
  ['http://2130706433:PORT/', '127.0.0.1 is a private address'],
  ['http://0x7f.0.0.1:PORT/', '127.0.0.1 is a private address'],
  ['http://[::1]:PORT/', '::1 is a private address'],
  ['http://[::ffff:127.0.0.1]:PORT/', '::ffff:7f00:1 is a private address'],
  ['http://localhost:PORT/', 'localhost is a private address'],
  ['http://169.254.169.254/latest/meta-data/', '169.254.169.254 is a private address'],
  ['http://user:secret@example.com/', 'an address with a user name or password is refused'],
  ['file:///etc/passwd', 'file: is not http or https'],
  ['no address', 'Invalid URL'],
])('does not connect to %s', async (url, message) => {
  const { port, urls } = await serve((_, response) => response.end('secret'));
  const { fail } = await openExample('web-fetch');
  expect(await fail({ url: url.replace('PORT', String(port)) })).toContain(message);
  expect(urls).toEqual([]);
});

test('does not follow a redirect to a private address', async () => {
  const { port, urls } = await serve((_, response) => {
    response.writeHead(301, { location: `http://localhost:${port}/secret` }).end();
  });
  // The first address is allowed by its name, and the second one is the same machine by another name.
  const { fail } = await openExample('web-fetch', ALLOWED);
  expect(await fail({ url: `http://127.0.0.1:${port}/` })).toContain('localhost is a private address');
  expect(urls).toEqual(['127.0.0.1/']);
});

test('does not follow redirects without end', async () => {
  const { port, urls } = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
  const { fail } = await openExample('web-fetch', ALLOWED);
  expect(await fail({ url: `http://127.0.0.1:${port}/` })).toContain('more than 5 redirects');
  expect(urls).toHaveLength(6);
});

test('bounds what it reads, also when it is compressed', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a '));
  const { port } = await serve((request, response) => {
    if (request.url === '/bomb') {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb);
    } else if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    else if (request.url === '/latin') {
      const headers = { 'content-type': 'text/plain; charset=iso-8859-1' };
      response.writeHead(200, headers).end(Buffer.from([0xe9]));
    } else response.writeHead(404).end();
  });
  const { call, fail } = await openExample('web-fetch', ALLOWED);
  const { shown } = await call({ url: `http://127.0.0.1:${port}/latin` });
  expect(shown).toMatchObject({ content: 'é' });
  expect(await fail({ url: `http://127.0.0.1:${port}/image` })).toContain('is image/png, which is no text');
  expect(await fail({ url: `http://127.0.0.1:${port}/none` })).toContain('answered 404 Not Found');
  const { open } = await openScript('fetch.mjs');
  const response = await open(new URL(`http://127.0.0.1:${port}/bomb`), ['127.0.0.1']);
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > 5_000_000) break;
  }
  expect(size).toBeLessThan(6_000_000);
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['10.0.0.1', false],
  ['100.64.0.1', false],
  ['172.16.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['2001::1', false],
  ['ff02::1', false],
])('%s is public: %s', async (address, expected) => {
  const { isPublic } = await openScript('fetch.mjs');
  expect(isPublic(address)).toBe(expected);
});

test('a hostile page takes no time', async () => {
  const { toMarkdown, titleOf } = await openScript('markdown.mjs');
  for (const part of [
    '<!--',
    '<script>',
    '<a href=',
    '<li>',
    '<a href=x>',
    '<',
    '<ul>',
    '<blockquote>',
    '<b>',
    '&#x',
    '<title',
  ]) {
    const used = countProcessorTime();
    toMarkdown(part.repeat(500_000), 'http://example.com');
    titleOf(part.repeat(500_000));
    expect(used()).toBeLessThan(5_000);
  }
});

function openScript(file: string) {
  return import(pathToFileURL(path.join(FOLDER, file)).href);
}
