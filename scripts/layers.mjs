// Draws the picture of the README: who calls jinn, through which door, and what stands behind it.

const WIDTH = 760;
const MARGIN = 20;
const GAP = 14;
const ROW = 64;
const BETWEEN = 34;

/** From top to bottom; each box has a title and a line below it. */
const ROWS = [
  [
    ['your own agent', 'any language'],
    ['Claude Code, Cursor, …', 'any MCP host'],
    ['a person', 'pastes into a chat'],
  ],
  [
    ['jinn', 'JSON lines on standard input'],
    ['jinn-mcp', 'MCP, by pipe or HTTP'],
    ['jinni', 'a project as one document'],
  ],
  [['one engine of tools', 'checks arguments and paths, asks a person, bounds answers, remembers what was read']],
  [
    ['files', 'read, edit, undo'],
    ['search', 'text, names, symbols'],
    ['commands', 'judged, in a sandbox'],
    ['your tools', 'a folder with a script'],
  ],
];

const STYLE = `
text { font: 15px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
.small { font-size: 12px; fill: #59636e }
rect { fill: #f6f8fa; stroke: #d1d9e0; rx: 8px }
.engine { fill: #ddf4ff; stroke: #54aeff }
path { stroke: #818b98; stroke-width: 1.5; fill: none }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } rect { fill: #151b23; stroke: #3d444d }
  .engine { fill: #0c2d6b; stroke: #1f6feb }
}`;

/** Returns the picture as SVG, for light and dark pages. */
export function drawLayers() {
  const height = 2 * MARGIN + ROWS.length * ROW + (ROWS.length - 1) * BETWEEN;
  const parts = ROWS.flatMap((boxes, i) => [
    ...boxes.map((box, j) => drawBox(box, i, j, boxes.length)),
    ...(i > 0 ? drawLines(i) : []),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">Agents, MCP hosts and people reach one engine of tools through three programs</title>',
    `<style>${STYLE}</style>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function drawBox([title, line], row, column, columns) {
  const width = widthOf(columns);
  const x = MARGIN + column * (width + GAP);
  const y = topOf(row);
  const middle = x + width / 2;
  return [
    `<rect${columns === 1 ? ' class="engine"' : ''} x="${x}" y="${y}" width="${width}" height="${ROW}"/>`,
    `<text x="${middle}" y="${y + 27}">${title}</text>`,
    `<text class="small" x="${middle}" y="${y + 47}">${line}</text>`,
  ].join('\n');
}

/** Draws a line down to each box of a row, or from each box above where the row is one box. */
function drawLines(row) {
  const columns = Math.max(ROWS[row].length, ROWS[row].length === 1 ? ROWS[row - 1].length : 1);
  const width = widthOf(columns);
  return Array.from({ length: columns }, (_, column) => {
    const x = MARGIN + column * (width + GAP) + width / 2;
    return `<path d="M${x} ${topOf(row) - BETWEEN} v${BETWEEN}"/>`;
  });
}

function widthOf(columns) {
  return (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns;
}

function topOf(row) {
  return MARGIN + row * (ROW + BETWEEN);
}
