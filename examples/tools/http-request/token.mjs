/** Finds the token of a host among `host=token` pairs. It is only sent over TLS. */
export function tokenFor({ host, protocol }, pairs = '') {
  if (protocol !== 'https:') return {};
  const pair = pairs.split(/[\s,]+/).find((one) => one.startsWith(`${host}=`));
  return pair === undefined ? {} : { authorization: `Bearer ${pair.slice(host.length + 1)}` };
}
