import type { Visualization } from '@jinn/core/visualization';

const MAX_ROWS = 200;

interface VisualizedMember {
  readonly path: string;
  readonly languages?: readonly string[];
  readonly build_tool?: string;
  readonly test_command?: string;
  readonly linter?: string;
  readonly frameworks?: readonly string[];
  readonly package_managers?: readonly string[];
}

const COLUMNS: readonly (readonly [
  key: string,
  label: string,
  value: (member: VisualizedMember) => string | undefined,
])[] = [
  ['path', 'Directory', ({ path }) => path],
  ['languages', 'Languages', ({ languages }) => languages?.join(', ')],
  ['frameworks', 'Frameworks', ({ frameworks }) => frameworks?.join(', ')],
  ['managers', 'Package managers', ({ package_managers }) => package_managers?.join(', ')],
  ['build', 'Build', ({ build_tool }) => build_tool],
  ['test', 'Test', ({ test_command }) => test_command],
  ['lint', 'Lint', ({ linter }) => linter],
];

/** Shows the parts of a project: a row for the project, and one for each of its members. */
export function visualizeProject(
  summary: Omit<VisualizedMember, 'path'>,
  members: readonly VisualizedMember[],
): Visualization {
  const rows = [{ path: '.', ...summary }, ...members].map(toRow);
  const columns = COLUMNS.map(([key, label]) => ({ key, label }));
  return {
    type: 'table',
    columns: columns.filter(({ key }) => rows.some((row) => row[key] !== undefined)),
    rows: rows.slice(0, MAX_ROWS),
    totalRows: rows.length,
    ...(rows.length > MAX_ROWS && { hasMore: true }),
  };
}

function toRow(member: VisualizedMember): Record<string, string | undefined> {
  return Object.fromEntries(COLUMNS.map(([key, , read]) => [key, read(member)]).filter(([, value]) => value));
}

interface VisualizedResult {
  readonly type: string;
  readonly name: string | undefined;
  readonly description?: string;
  readonly path: string;
}

/** Shows the results from the user's knowledge base, best first. */
export function visualizeContext(results: readonly VisualizedResult[]): Visualization {
  if (results.length === 0) return { type: 'none', message: 'nothing related was found' };
  return {
    type: 'table',
    columns: [
      { key: 'type', label: 'Kind' },
      { key: 'name', label: 'Name' },
      { key: 'description', label: 'Description' },
      { key: 'path', label: 'File' },
    ],
    rows: results.map(({ type, name, description, path }) => ({ type, name, description, path })),
    totalRows: results.length,
  };
}
