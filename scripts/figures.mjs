// Picks the five figures of the README out of the tables of bench/RESULTS.md, so that each stands in one place.

/** A row of the bench, by what it measures and what it stands beside, and how the README says that. */
const ROWS = [
  {
    what: /^MCP: the same$/,
    peer: /server-filesystem`$/,
    say: 'Start an MCP server (`initialize`)',
    name: 'server-filesystem',
  },
  {
    what: /^`jinni`, beside repomix: 6,379/,
    peer: /^repomix/,
    say: 'Write two npm packages (6,379 files) as one document',
    name: 'repomix',
  },
  {
    what: /rare word in 60,000 files, in a session/,
    peer: /^`rg`$/,
    say: 'Find a rare word in 60,000 files, in a session',
    name: 'ripgrep',
  },
];
const FIRST_SUM = /^\| sum \| (\d+) \|(.*)\|$/m;
const TASKS = /^\| sum \| (.*) \|$/m;

/** Returns the table of figures. */
export function renderFigures(page) {
  const rows = readFigures(page).map((cells) => `| ${cells.join(' | ')} |`);
  return ['| Task | jinn | Compared with |', '|---|---|---|', ...rows, ''].join('\n');
}

/** Reads what each figure is about, ours, and that of a peer. Throws if a row is not on the page. */
export function readFigures(page) {
  return [...ROWS.map((row) => benchRow(page, row)), chosenRow(page), taskRow(page)];
}

function benchRow(page, { what, peer, say, name }) {
  const rows = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));
  const row = rows.find((cells) => what.test(cells[0]) && peer.test(cells[2] ?? ''));
  if (!row) throw new Error(`bench/RESULTS.md has no row for: ${say}`);
  return [say, round(row[1]), `${round(row[3])}, ${name}`];
}

/** How many of the files that a maintainer would name are shown in 30,000 tokens. */
function chosenRow(page) {
  const [, files, rest] = FIRST_SUM.exec(section(page, 'choosing')) ?? [];
  const shown = (cell) => `${Math.round((Number(cell.split(',')[0]) / Number(files)) * 100)} %`;
  const cells = rest.split('|');
  return ["Show a package's key files in 30,000 tokens", shown(cells[1]), `${shown(cells[3])}, repomix`];
}

/** The tokens of calls and answers of the tasks of a day, and how many of the tasks had a wrong result. */
function taskRow(page) {
  const [jinn, , bash] = TASKS.exec(section(page, 'agent'))[1].split(' | ');
  const say = (cell) => {
    const [, answers, calls, wrong] = cell.split(' (')[0].split('; ');
    const tokens = [answers, calls].reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0);
    return `${tokens.toLocaleString('en')} tokens, ${wrong} wrong`;
  };
  return [`Complete ${/\((\d+) tasks\)/.exec(jinn)[1]} everyday agent tasks`, say(jinn), `${say(bash)}, only bash`];
}

function section(page, name) {
  return page.split(`<!-- ${name}:begin -->`)[1].split(`<!-- ${name}:end -->`)[0];
}

/** Rounds a time, and drops the memory behind it. */
function round(cell) {
  const [, number, unit] = /([\d,.]+) (\S+?),?(?: |$)/.exec(cell);
  return `${Math.round(Number(number.replaceAll(',', ''))).toLocaleString('en')} ${unit}`;
}
