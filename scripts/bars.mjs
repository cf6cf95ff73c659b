// Draws the figures of bench/RESULTS.md as bars: ours above that of a peer, each pair in its own scale.

const WIDTH = 760;
const MARGIN = 20;
const LABEL_HEIGHT = 22;
const BAR = 18;
const GAP = 6;
const BETWEEN = 20;
const LONGEST = 430;
const PAIR = LABEL_HEIGHT + 2 * BAR + GAP + BETWEEN;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.label { font-size: 14px; font-weight: 600 }
.ours { fill: #0969da } .peer { fill: #afb8c1 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .ours { fill: #4493f8 } .peer { fill: #656c76 }
}`;

/** Returns the bars as SVG, for light and dark pages. A figure is what it is about, ours, and that of a peer with its name. */
export function drawBars(figures) {
  const height = 2 * MARGIN + figures.length * PAIR - BETWEEN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">Five figures of jinn, each beside that of a peer</title>',
    `<style>${STYLE}</style>`,
    ...figures.map(drawPair),
    '</svg>\n',
  ].join('\n');
}

function drawPair([what, ours, peer], i) {
  const top = MARGIN + i * PAIR;
  const numbers = [ours, peer].map((text) => Number.parseFloat(text.replaceAll(',', '')));
  const scale = LONGEST / Math.max(...numbers);
  const [first, second] = numbers.map((number) => Math.max(2, Math.round(number * scale)));
  const bars = top + LABEL_HEIGHT;
  return [
    `<text class="label" x="${MARGIN}" y="${top + 12}">${what.replaceAll('`', '')}</text>`,
    drawBar('ours', { y: bars, width: first, text: `jinn: ${ours}` }),
    drawBar('peer', { y: bars + BAR + GAP, width: second, text: peer }),
  ].join('\n');
}

function drawBar(kind, { y, width, text }) {
  return [
    `<rect class="${kind}" x="${MARGIN}" y="${y}" width="${width}" height="${BAR}" rx="3"/>`,
    `<text x="${MARGIN + width + 8}" y="${y + 14}">${text}</text>`,
  ].join('\n');
}
