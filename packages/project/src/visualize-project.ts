import type { Visualization } from '@jinn/core/visualization';

/** A person does not read more. */
const MAX_ROWS = 200;

interface Summary {
  readonly languages: readonly string[];
  readonly build_tool?: string;
  readonly test_command?: string;
  readonly linter?: string;
  readonly frameworks: readonly string[];
  readonly package_managers: readonly string[];
  readonly task_runners: readonly string[];
}

interface Member extends Partial<Summary> {
  readonly path: string;
}

/** Shows the parts of a project: a row for the project, and one for each of its members. */
export function visualizeProject(summary: Summary, members: readonly Member[]): Visualization {
  const rows = [{ path: '.', ...summary }, ...members].map(toRow);
  const columns = [
    { key: 'path', label: 'Directory' },
    { key: 'languages', label: 'Languages' },
    { key: 'frameworks', label: 'Frameworks' },
    { key: 'managers', label: 'Package managers' },
    { key: 'build', label: 'Build' },
    { key: 'test', label: 'Test' },
    { key: 'lint', label: 'Lint' },
  ];
  return {
    type: 'table',
    columns: columns.filter(({ key }) => rows.some((row) => row[key] !== undefined)),
    rows: rows.slice(0, MAX_ROWS),
    totalRows: rows.length,
    ...(rows.length > MAX_ROWS && { hasMore: true }),
  };
}

function toRow(member: Member): Record<string, string | undefined> {
  const row = {
    path: member.path,
    languages: member.languages?.join(', '),
    frameworks: member.frameworks?.join(', '),
    managers: member.package_managers?.join(', '),
    build: member.build_tool,
    test: member.test_command,
    lint: member.linter,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value));
}

interface Result {
  readonly type: string;
  readonly name: string | undefined;
  readonly description?: string;
  readonly path: string;
  readonly score: number;
}

/** Shows the results from the user's knowledge base, best first. */
export function visualizeContext(results: readonly Result[]): Visualization {
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
