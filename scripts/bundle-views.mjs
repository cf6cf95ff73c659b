// Builds packages/views into one HTML file that needs no network: its script and its style are allowed by their hashes alone.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { rolldown } from 'rolldown';

const FILE = 'dist/view.html';

const bundle = await rolldown({
  input: 'src/main.tsx',
  platform: 'browser',
});
const { output } = await bundle.generate({ format: 'iife', minify: true });
// Within an element, only these could end the script or hide its end.
const script = output[0].code.replaceAll(/<(?=\/script|!--|script)/gi, String.raw`\x3c`);
const elements = { script, style: fs.readFileSync('src/style.css', 'utf8') };

let page = fs.readFileSync('src/page.html', 'utf8');
for (const [name, text] of Object.entries(elements)) {
  const hash = createHash('sha256').update(text).digest('base64');
  page = page.replace(`${name}-hash`, hash).replace(`<${name}></${name}>`, () => `<${name}>${text}</${name}>`);
}
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync(FILE, page);
