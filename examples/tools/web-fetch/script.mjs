// Fetches a page and writes it as Markdown.
import { readFileSync } from 'node:fs';
import { open } from './fetch.mjs';
import { titleOf, toMarkdown } from './markdown.mjs';

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;

async function main({ url: asked }) {
  const privateHosts = (process.env.WEB_FETCH_PRIVATE_HOSTS ?? '').split(/[\s,]+/).filter(Boolean);
  const { url, response } = await follow(asked, privateHosts);
  const type = (response.headers['content-type'] ?? 'text/html').toLowerCase();
  if (response.statusCode >= 400) {
    response.destroy();
    return { error: `${url} answered ${response.statusCode} ${response.statusMessage}` };
  }
  if (!/^text\/|json|xml|javascript|yaml/.test(type)) {
    response.destroy();
    return { error: `${url} is ${type.split(';')[0]}, which is no text` };
  }
  const { text, truncated } = await readText(response, type);
  const isHtml = /html/.test(type);
  const title = isHtml ? titleOf(text) : '';
  const content = isHtml ? toMarkdown(text, url) : text;
  return {
    url: url.href,
    ...(title && { title }),
    content,
    ...(truncated && { truncated }),
    _visualization: { type: 'markdown', content, sourceUrl: url.href, ...(title && { title }) },
  };
}

/** Follows redirects; each address is checked like the first one. */
async function follow(asked, privateHosts) {
  let url = new URL(asked);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await open(url, privateHosts);
    const { location } = response.headers;
    if (response.statusCode < 300 || response.statusCode >= 400 || location === undefined) return { url, response };
    response.destroy();
    url = new URL(location, url);
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}

async function readText(response, type) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_BYTES) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BYTES);
  const head = bytes.toString('latin1', 0, 2_048);
  const charset = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(head)?.[1];
  return { text: decoderFor(charset).decode(bytes), truncated: size > MAX_BYTES };
}

function decoderFor(charset = 'utf-8') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
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
