/** A cell of nbformat 4. A cell of nbformat 3 has `input`, `language` and `level` instead of the later members. */
interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly input?: unknown;
  readonly language?: unknown;
  readonly level?: unknown;
  readonly outputs?: unknown;
  readonly attachments?: unknown;
}

interface Notebook {
  readonly cells?: unknown;
  readonly worksheets?: unknown;
  readonly nbformat?: unknown;
  readonly metadata?: { readonly language_info?: { readonly name?: unknown } };
}

const OLD_FORMS = {
  text: 'text/plain',
  html: 'text/html',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
  png: 'image/png',
  jpeg: 'image/jpeg',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
} as const;

/** Data within a text, as in a link to a picture. */
const EMBEDDED = /(data:[\w.+-]{1,80}\/[\w.+-]{1,80};base64,)([A-Za-z0-9+/=]{64,})/g;
const ESCAPE = String.fromCharCode(27);
const COLORS = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');

export interface ShownCell {
  readonly head: string;
  readonly source: string;
  readonly tail: string;
}

/**
 * Returns the cells of a Jupyter notebook as text. Data in base64 is replaced by its size. Undefined if the text is no
 * notebook.
 */
export function notebookToText(text: string): string | undefined {
  return notebookCells(text)
    ?.map(({ head, source, tail }) => head + source + tail)
    .join('\n');
}

/** Returns the cells whose text `notebookToText` joins by an empty line. */
export function notebookCells(text: string): ShownCell[] | undefined {
  const notebook = parse(text);
  const cells = notebook && cellsOf(notebook);
  if (!cells) return undefined;
  const name = notebook.metadata?.language_info?.name;
  const language = typeof name === 'string' ? name : 'python';
  return cells.filter(isObject).map((cell, i) => showCell(cell, i + 1, language));
}

/** Undefined if the text is a valid notebook, as far as this can be seen. */
export function notebookFault(text: string): string | undefined {
  const notebook = parse(text);
  const cells = notebook && cellsOf(notebook);
  if (!cells) return notebook ? 'it has no list "cells"' : 'it is not a JSON object';
  if (!Number.isInteger(notebook.nbformat) || !isObject(notebook.metadata)) return 'it lacks "nbformat" or "metadata"';
  const isCell = ({ cell_type, source, input }: Cell) =>
    typeof cell_type === 'string' && [source ?? input].flat().every((line) => typeof line === 'string');
  const bad = cells.findIndex((cell) => !isObject(cell) || !isCell(cell));
  return bad < 0 ? undefined : `cell ${bad + 1} has no "cell_type", or no "source" of strings`;
}

function cellsOf({ cells, worksheets }: Notebook): readonly unknown[] | undefined {
  if (Array.isArray(cells)) return cells;
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets.filter(isObject).flatMap((sheet) => (Array.isArray(sheet['cells']) ? sheet['cells'] : []));
}

function parse(text: string): Notebook | undefined {
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function showCell(cell: Cell, number: number, language: string): ShownCell {
  const { cell_type, outputs, attachments } = cell;
  const type = typeof cell_type === 'string' ? cell_type : 'raw';
  const own = typeof cell.language === 'string' ? cell.language : language;
  const head = `# %% [${number}] ${type === 'code' ? own : type === 'heading' ? 'markdown' : type}\n`;
  const marks = type === 'heading' ? `${'#'.repeat(Math.min(6, Math.max(1, Number(cell.level) || 1)))} ` : '';
  const source = marks + joined(cell.source ?? cell.input);
  const shown = Array.isArray(outputs) ? outputs.map(showOutput).filter((text) => text !== '') : [];
  const parts = shown.map((text) => `# output:\n${endLine(text)}`);
  const attached = Object.entries(isObject(attachments) ? attachments : {}).flatMap(([name, content]) =>
    isObject(content) ? [`[attachment ${name}: ${nameForms(Object.entries(content))}]\n`] : [],
  );
  return { head, source: endLine(withoutData(source)), tail: [...attached, ...parts].join('') };
}

function showOutput(output: unknown): string {
  if (!isObject(output)) return '';
  const { text, ename, evalue, output_type } = output;
  // Nbformat 3 has the forms next to the type, under short names.
  const isOld = output['data'] === undefined && (output_type === 'pyout' || output_type === 'display_data');
  const old = Object.entries(OLD_FORMS).filter(([name]) => output[name] !== undefined);
  const data = isOld ? Object.fromEntries(old.map(([name, type]) => [type, output[name]])) : output['data'];
  if (data === undefined && text !== undefined) return withoutData(joined(text)).replace(COLORS, '');
  if (typeof ename === 'string') return `${ename}: ${joined(evalue)}`.replace(COLORS, '');
  if (!isObject(data)) return '';
  const forms = Object.entries(data);
  const plain = forms.find(([type]) => type === 'text/plain') ?? forms.find(([type]) => type === 'text/markdown');
  const others = plain ? forms.filter(([type]) => /^image\/|^application\/pdf$/.test(type)) : forms;
  const named = others.length > 0 ? [`[${nameForms(others)}]`] : [];
  return [...(plain ? [withoutData(joined(plain[1]))] : []), ...named].join('\n');
}

function nameForms(forms: readonly (readonly [type: string, content: unknown])[]): string {
  return forms
    .map(([type, content]) => [type, joined(content).length] as const)
    .map(([type, length]) => (length > 0 ? `${type}, ${length} characters left out` : `${type} left out`))
    .join('; ');
}

function withoutData(text: string): string {
  return text.replace(EMBEDDED, (_, head: string, data: string) => `${head}[${data.length} characters left out]`);
}

function joined(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
