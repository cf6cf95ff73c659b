import * as z from 'zod/mini';

const MAX_FAULTS = 3;
const MAX_GIVEN = 60;

const text = z.string();
const count = z.int().check(z.minimum(0));
const COMMON = { title: z.optional(text), collapsed: z.optional(z.boolean()) };

const change = z.strictObject({
  type: z.enum(['added', 'removed', 'context']),
  content: text,
  oldLineNumber: z.optional(count),
  newLineNumber: z.optional(count),
});

const hunk = z.strictObject({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  changes: z.array(change),
});

const diff = z.strictObject({
  type: z.literal('diff'),
  path: text,
  language: z.optional(text),
  hunks: z.array(hunk),
  additions: count,
  deletions: count,
  matchInfo: z.optional(z.strictObject({ strategy: text, lineNumber: z.optional(count) })),
  ...COMMON,
});

const diffs = z.strictObject({ type: z.literal('diffs'), items: z.array(diff), ...COMMON });

const code = z.strictObject({
  type: z.literal('code'),
  path: text,
  content: text,
  language: z.optional(text),
  /** True for a new file, false for one that was overwritten, absent for one that was only read. */
  created: z.optional(z.boolean()),
  lineCount: z.optional(count),
  highlightLines: z.optional(z.array(count)),
  ...COMMON,
});

const listedFile = z.strictObject({
  path: text,
  action: z.optional(z.enum(['created', 'modified', 'deleted'])),
  line: z.optional(count),
  content: z.optional(text),
});

const fileGroup = z.strictObject({
  label: text,
  icon: z.optional(z.enum(['edit', 'plus', 'trash', 'search'])),
  files: z.array(listedFile),
});

const fileList = z
  .strictObject({
    type: z.literal('file-list'),
    groups: z.optional(z.array(fileGroup)),
    files: z.optional(z.array(listedFile)),
    total: z.optional(count),
    ...COMMON,
  })
  .check(z.refine(({ groups, files }) => groups !== undefined || files !== undefined, 'groups or files is missing'));

const column = z.strictObject({ key: text, label: z.optional(text), width: z.optional(text) });

const table = z.strictObject({
  type: z.literal('table'),
  columns: z.array(column),
  rows: z.array(z.record(z.string(), z.unknown())),
  totalRows: z.optional(count),
  hasMore: z.optional(z.boolean()),
  ...COMMON,
});

const markdown = z.strictObject({
  type: z.literal('markdown'),
  content: text,
  sourceUrl: z.optional(z.url({ protocol: /^https?$/ })),
  ...COMMON,
});

const shellOutput = z.strictObject({
  type: z.literal('shell-output'),
  command: text,
  stdout: z.optional(text),
  stderr: z.optional(text),
  exitCode: z.int(),
  ...COMMON,
});

const todo = z.strictObject({
  content: text,
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  priority: z.optional(z.enum(['high', 'medium', 'low'])),
});

const todoList = z.strictObject({ type: z.literal('todo-list'), items: z.array(todo), ...COMMON });

const none = z.strictObject({ type: z.literal('none'), message: z.optional(text), ...COMMON });

const visualization = z.discriminatedUnion('type', [
  diff,
  diffs,
  code,
  fileList,
  table,
  markdown,
  shellOutput,
  todoList,
  none,
]);

/** Checks a visualization, and names the fields that no client knows. `known` is a copy without them. */
export function checkAgainstSchema(value: unknown): { faults: string[]; unknown: string[]; known: unknown } {
  const parsed = visualization.safeParse(value, { error: z.locales.en().localeError, reportInput: true });
  const issues = parsed.success ? [] : parsed.error.issues;
  const surplus = issues.filter((issue) => issue.code === 'unrecognized_keys');
  const faults = issues.filter((issue) => issue.code !== 'unrecognized_keys').map(describe);
  const unknown = surplus.flatMap(({ keys, path }) => keys.map((key) => fieldAt([...path, key])));
  const known = surplus.length === 0 ? value : structuredClone(value);
  for (const { keys, path } of surplus) {
    const owner = path.reduce((at, key) => (at as Record<PropertyKey, unknown>)[key], known);
    for (const key of keys) delete (owner as Record<string, unknown>)[key];
  }
  return { faults: faults.slice(0, MAX_FAULTS), unknown: unknown.slice(0, MAX_FAULTS), known };
}

/** Returns the JSON Schema of a visualization. */
export function visualizationJsonSchema(): object {
  const { $schema: _, ...schema } = z.toJSONSchema(visualization);
  return schema;
}

function describe(issue: z.core.$ZodIssue): string {
  const field = fieldAt(issue.path);
  const { input } = issue;
  if (issue.code === 'invalid_union') return describeType((input as { type?: unknown }).type);
  if (input === undefined) return `${field} is missing`;
  if (issue.code === 'custom') return issue.message;
  const message = issue.message.slice(0, 1).toLowerCase() + issue.message.slice(1);
  return `${field ? `${field}: ` : ''}${message}${given(input)}`;
}

function describeType(type: unknown): string {
  const names = visualization.def.options.flatMap((option) => option.def.shape.type.def.values).join(', ');
  return type === undefined ? `type is missing: it is one of ${names}` : `type: expected one of ${names}${given(type)}`;
}

function fieldAt(path: readonly PropertyKey[]): string {
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key).slice(0, MAX_GIVEN)}`));
  return field.join('').replace(/^\./, '');
}

function given(value: unknown): string {
  if (typeof value === 'object' || value === undefined) return '';
  const shown = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_GIVEN) : value);
  return ` (given: ${shown})`;
}
