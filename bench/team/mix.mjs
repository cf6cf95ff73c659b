/**
 * A hundred calls of an agent's day: most look, one in seven changes something, one in eight runs a command, and one needs the
 * word of a person. Each has its share, its tool, and its arguments for the nth call of a session.
 */
const MIX = [
  [36, 'read_file', ({ n }) => ({ path: `src/file-${n % 200}.ts`, start_line: 1, end_line: 120 })],
  [14, 'search_files', ({ n }) => ({ pattern: `value${(n * 31) % 5000}\\b`, path: 'src' })],
  [9, 'list_dir', () => ({ path: 'src' })],
  [7, 'find_files', ({ n }) => ({ pattern: `**/file-${n % 10}*.ts` })],
  [3, 'multi_read', ({ n }) => ({ paths: [0, 1, 2].map((i) => `src/file-${(n + i) % 200}.ts`) })],
  [2, 'tools/list', () => undefined],
  [
    9,
    'edit_file',
    ({ own, n, session }) => ({ path: own, old_text: lastLine(session), new_text: nextLine(session, n) }),
  ],
  [4, 'write_file', ({ own, n }) => ({ path: `${own}.new`, content: `text ${n}\n`.repeat(40) })],
  [1, 'undo', () => ({ action: 'list', limit: 10 })],
  [2, 'memory', ({ n }) => ({ action: 'save', key: `note-${n % 20}`, value: `what was found in ${n}` })],
  [12, 'run_shell', ({ n }) => ({ command: `git log -1 --format=%H; wc -l src/file-${n % 200}.ts` })],
  [1, 'run_shell', ({ own }) => ({ command: `rm -rf ${own}.gone` })],
];

function lastLine(session) {
  return `the last line is ${session.line ?? 0}\n`;
}

function nextLine(session, n) {
  session.line = n;
  return lastLine(session);
}

/** The kinds of calls, so that each comes evenly among a hundred. */
const KINDS = MIX.flatMap(([share, name, argsFor]) =>
  Array.from({ length: share }, (_, i) => ({ name, argsFor, at: (i + 0.5) / share })),
).toSorted((a, b) => a.at - b.at);

/** Returns the nth call of a session. */
export function callOf(session, n) {
  const { name, argsFor } = KINDS[(n + session.offset) % KINDS.length];
  return { name, args: argsFor({ n, session, own: session.own }) };
}

/** The files of the workspace: the sources that all read, and one file for each session to edit. */
export function filesFor(sessions) {
  const line = (i, j) => `export const value${(i * 200 + j) % 5000} = (input: string) => input.slice(${j});\n`;
  const sources = Array.from({ length: 200 }, (_, i) => [
    `src/file-${i}.ts`,
    Array.from({ length: 200 }, (_, j) => line(i, j)).join(''),
  ]);
  return [...sources, ...sessions.map(({ own }) => [own, `a file of its own\n${lastLine({})}`])];
}
