// Builds packages/views into HTML files that need no network: their script and their style are allowed by their hashes alone.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { rolldown } from 'rolldown';

/** The files, each with where its script begins. */
const PAGES = { 'view.html': 'src/main.tsx', 'page.html': '../ui/src/page/page-main.tsx' };
/** What the page of results needs nothing of: it asks its own server. */
const CONNECTS = { 'page.html': "; connect-src 'self'" };

fs.mkdirSync('dist', { recursive: true });
for (const [file, input] of Object.entries(PAGES)) fs.writeFileSync(`dist/${file}`, await build(file, input));

async function build(file, input) {
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  // Within an element, only these could end the script or hide its end.
  const script = output[0].code.replaceAll(/<(?=\/script|!--|script)/gi, String.raw`\x3c`);
  const elements = { script, style: fs.readFileSync('src/style.css', 'utf8') };
  let page = fs.readFileSync('src/page.html', 'utf8').replace('; base-uri', `${CONNECTS[file] ?? ''}; base-uri`);
  for (const [name, text] of Object.entries(elements)) {
    const hash = createHash('sha256').update(text).digest('base64');
    page = page.replace(`${name}-hash`, hash).replace(`<${name}></${name}>`, () => `<${name}>${text}</${name}>`);
  }
  return page;
}
