import type { VisualizationOf } from '@jinn/core/visualization';
import type { HistoryEntry } from '@jinn/workspace';

const MAX_LISTED = 20;
/** The most changes or files that an answer names. */
export const MAX_NAMED = 10;

/** Joins the entries of each operation, in the order in which the operations first come. */
export function groupByOperation(entries: readonly HistoryEntry[]): HistoryEntry[][] {
  return groupBy(entries, (entry) => entry.operationId);
}

/** Joins the entries with the same key, in the order in which the keys first come. */
export function groupBy(entries: readonly HistoryEntry[], keyOf: (entry: HistoryEntry) => string): HistoryEntry[][] {
  const groups = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const known = groups.get(keyOf(entry));
    if (known) known.push(entry);
    else groups.set(keyOf(entry), [entry]);
  }
  return [...groups.values()];
}

/** Returns a line for each operation: its id, its time, its tool, and the state of its files. */
export function listOperations(operations: readonly (readonly HistoryEntry[])[], limit = MAX_LISTED): string {
  const lines = operations.slice(0, limit).map(toLine);
  const more = operations.length - lines.length;
  const rest =
    more > 0 ? [`[${lines.length} of ${operations.length} calls, limit: ${operations.length} lists all]`] : [];
  return [...lines, ...rest].join('\n') || '[no changes in the history]';
}

function toLine(operation: readonly HistoryEntry[]): string {
  const [first] = operation as [HistoryEntry];
  const by = first.otherPerson === undefined ? '' : ` by ${nameOf(first.otherPerson)}`;
  return `${first.operationId} ${timeOf(first)} ${first.tool}${by}: ${cutList(filesOf(operation))}`;
}

function filesOf(operation: readonly HistoryEntry[]): string[] {
  return operation.map(({ path, size, afterVersion }) => {
    if (size === undefined) return `created ${path}`;
    return afterVersion === undefined ? `deleted ${path}` : `changed ${path}`;
  });
}

/** Shows the operations to the user, one a row. */
export function visualizeOperations(
  operations: readonly (readonly HistoryEntry[])[],
  limit = MAX_LISTED,
): VisualizationOf<'table'> {
  const rows = operations.slice(0, limit).map((operation) => {
    const [first] = operation as [HistoryEntry];
    const person = first.otherPerson === undefined ? '' : nameOf(first.otherPerson);
    return { id: first.operationId, time: timeOf(first), tool: first.tool, person, files: cutList(filesOf(operation)) };
  });
  const keys = ['id', 'time', 'tool', ...(rows.some(({ person }) => person !== '') ? ['person'] : []), 'files'];
  return { type: 'table', columns: keys.map((key) => ({ key })), rows, totalRows: operations.length };
}

/** Joins the first of some texts, ten by default, and adds how many more there are. */
export function cutList(texts: readonly string[], most = MAX_NAMED): string {
  const more = texts.length > most ? [`and ${texts.length - most} more`] : [];
  return [...texts.slice(0, most), ...more].join(', ');
}

/** Returns when an entry was made, in the form of RFC 3339, to the second. */
export function timeOf({ created }: Pick<HistoryEntry, 'created'>): string {
  return created.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reports whether someone else made a change. */
export function isOfOther(entry: HistoryEntry): entry is HistoryEntry & { readonly otherPerson: string } {
  return entry.otherPerson !== undefined;
}

/** Describes the user whose change it is. */
export function describeOther({
  path,
  otherPerson,
  ...entry
}: HistoryEntry & { readonly otherPerson: string }): string {
  return `${path}: ${nameOf(otherPerson)} made this change, not you (${timeOf(entry)})`;
}

/** Returns the name of the user in an answer. */
export function nameOf(person: string): string {
  return person === '' ? 'a user without a name' : person;
}
