// Opens addresses of the public internet only.
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { pipeline } from 'node:stream';
import zlib from 'node:zlib';

const MAX_MS = 30_000;
const HEADERS = { 'user-agent': 'jinn-web-fetch', accept: 'text/html, text/*, application/json;q=0.9, */*;q=0.5' };
const DECODERS = { gzip: zlib.createGunzip, br: zlib.createBrotliDecompress, deflate: zlib.createInflate };

/** Everything that is not the public internet: this machine, private networks, and the metadata services of clouds. */
const PRIVATE = new net.BlockList();
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '))) {
  const [address, prefix] = range.split('/');
  PRIVATE.addSubnet(address, Number(prefix), 'ipv4');
}
// Teredo and 6to4 lead to an IPv4 address that they contain.
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [address, prefix] = range.split('/');
  PRIVATE.addSubnet(address, Number(prefix), 'ipv6');
}
const PUBLIC_IPV6 = new net.BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');

export function isPublic(address) {
  if (net.isIPv4(address)) return !PRIVATE.check(address, 'ipv4');
  return PUBLIC_IPV6.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6');
}

/** Starts a request. Returns the response, whose `body` is decompressed. `privateHosts` may have private addresses. */
export function open(url, privateHosts) {
  if (!['http:', 'https:'].includes(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
  if (url.username || url.password) throw new Error('an address with a user name or password is refused');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const mayBePrivate = privateHosts.includes(host);
  if (net.isIP(host) && !mayBePrivate && !isPublic(host)) throw refusal(host);
  const options = {
    headers: { ...HEADERS, 'accept-encoding': 'gzip, br, deflate' },
    lookup: (name, given, done) => lookUp(name, given, mayBePrivate, done),
    signal: AbortSignal.timeout(MAX_MS),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).get(url, options, (response) => {
      const decode = DECODERS[response.headers['content-encoding']];
      // An error of the stream reaches whoever reads it.
      response.body = decode ? pipeline(response, decode(), () => undefined) : response;
      resolve(response);
    });
    request.on('error', reject);
  });
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
  return new Error(`${host} is a private address; name it in WEB_FETCH_PRIVATE_HOSTS to allow it`);
}
