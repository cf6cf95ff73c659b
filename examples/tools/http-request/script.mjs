// Sends one request to the address that was checked, and returns what came back.
import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tokenFor } from './token.mjs';

const MAX_MS = 50_000;
const MAX_BYTES = 1024 * 1024;
/** Everything that is not the public internet. */
const PRIVATE = new net.BlockList();
for (const range of (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
).split(' ')) {
  const [address, prefix] = range.split('/');
  PRIVATE.addSubnet(address, Number(prefix), 'ipv4');
}
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [address, prefix] = range.split('/');
  PRIVATE.addSubnet(address, Number(prefix), 'ipv6');
}
const PUBLIC_IPV6 = new net.BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');

function isPublic(address) {
  if (net.isIPv4(address)) return !PRIVATE.check(address, 'ipv4');
  return PUBLIC_IPV6.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6');
}

async function main({ url: asked, method = 'GET', headers = {}, body, private: mayBePrivate = false }) {
  const url = new URL(asked);
  if (!['http:', 'https:'].includes(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (net.isIP(host) && !mayBePrivate && !isPublic(host)) throw refusal(host);
  const isText = body === undefined || typeof body === 'string';
  const sent = isText ? body : JSON.stringify(body);
  const named = {
    'user-agent': 'jinn-http-request',
    ...(!isText && { 'content-type': 'application/json' }),
    ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
    ...tokenFor(url, process.env.HTTP_REQUEST_TOKENS),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const lookup = (name, given, done) => lookUp(name, given, mayBePrivate, done);
  const response = await send(url, { method, headers: named, lookup, signal: AbortSignal.timeout(MAX_MS) }, sent);
  const { bytes, truncated } = await read(response);
  return report({ url, method, response, bytes, truncated });
}

/** The connection goes to the addresses that are checked here, so a name cannot resolve to another one afterwards. */
function lookUp(name, given, mayBePrivate, done) {
  dns.lookup(name, { ...given, all: true }, (error, addresses) => {
    if (error) return done(error);
    if (!mayBePrivate && !addresses.every(({ address }) => isPublic(address))) return done(refusal(name));
    return given.all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family);
  });
}

function refusal(host) {
  return new Error(`${host} is a private address; pass private: true, and a person is asked`);
}

function send(url, options, body) {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

async function read(response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), truncated: size > MAX_BYTES };
}

function report({ url, method, response, bytes, truncated }) {
  const { statusCode: status, statusMessage, headers } = response;
  const isText = !bytes.includes(0);
  const text = isText ? bytes.toString() : `[${bytes.length} bytes that are no text]`;
  const content = `**${status} ${statusMessage}** ${method} ${url.href}\n\n\`\`\`\n${text}\n\`\`\``;
  return {
    status,
    headers,
    body: /json/.test(headers['content-type'] ?? '') ? parse(text) : text,
    ...(truncated && { truncated }),
    _visualization: { type: 'markdown', content, sourceUrl: url.href },
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

let output;
try {
  output = await main(JSON.parse(readFileSync(0, 'utf8')));
} catch (error) {
  output = { error: error.message };
}
// What is still open, such as the connection of a page that was too long, would keep the process running.
process.stdout.write(JSON.stringify(output), () => process.exit());
