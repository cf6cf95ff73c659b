// Changes what lies at a path again and again, until it is killed: `node disturber.mjs swap|shape PATH OUTSIDE`.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const [kind, place, outside] = process.argv.slice(2);
const TEXT = 'one\ntwo\nthree\n';

/** The shapes that a file takes, one after the other. */
const SHAPES = [
  () => fs.writeFileSync(place, TEXT),
  () => fs.appendFileSync(place, TEXT.repeat(2_000)),
  () => fs.truncateSync(place, 5),
  () => fs.truncateSync(place, 40 * 1024 * 1024),
  () => fs.writeFileSync(place, Buffer.alloc(4_096)),
  () => replaceBy((made) => fs.mkdirSync(made)),
  () => replaceBy((made) => fs.symlinkSync(outside, made)),
  () => replaceBy((made) => spawnSync('mkfifo', [made])),
  () => fs.rmSync(place, { recursive: true, force: true }),
];

function replaceBy(make) {
  fs.rmSync(place, { recursive: true, force: true });
  make(place);
}

/** Puts a link to a directory outside in the place of a directory, and back, by turns. */
function swap(i) {
  if (i % 2 === 0) {
    fs.renameSync(place, `${place}.kept`);
    fs.symlinkSync(outside, place);
  } else {
    fs.unlinkSync(place);
    fs.renameSync(`${place}.kept`, place);
  }
}

/** Jinn was at the same place: begins again with what was there at first. */
function restore() {
  fs.rmSync(place, { recursive: true, force: true });
  if (fs.existsSync(`${place}.kept`)) fs.renameSync(`${place}.kept`, place);
}

for (let i = 0; ; i++) {
  try {
    if (kind === 'swap') swap(i);
    else SHAPES[i % SHAPES.length]();
  } catch {
    restore();
    i += i % 2 === 0 ? 1 : 0; // The next one is even.
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}
