interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
  readonly attachments?: unknown;
}

interface Notebook {
  readonly cells?: unknown;
  readonly metadata?: { readonly language_info?: { readonly name?: unknown } };
}

/** Data within a text, as in a link to a picture. */
const EMBEDDED = /(data:[\w.+-]{1,80}\/[\w.+-]{1,80};base64,)([A-Za-z0-9+/=]{64,})/g;
const ESCAPE = String.fromCharCode(27);
/** The escape sequences by which a traceback is coloured. */
const COLORS = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');

/**
 * Returns the cells of a Jupyter notebook as text, with the outputs that are text. Pictures, attachments and other data in
 * base64 are named with their size. Returns undefined if the text is not a notebook.
 */
export function notebookToText(text: string): string | undefined {
  const notebook = parse(text);
  if (!Array.isArray(notebook?.cells)) return undefined;
  const name = notebook.metadata?.language_info?.name;
  const language = typeof name === 'string' ? name : 'python';
  return notebook.cells
    .filter(isObject)
    .map((cell, i) => showCell(cell, i + 1, language))
    .join('\n');
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

function showCell({ cell_type, source, outputs, attachments }: Cell, number: number, language: string): string {
  const type = typeof cell_type === 'string' ? cell_type : 'raw';
  const head = `# %% [${number}] ${type === 'code' ? language : type}\n`;
  const shown = Array.isArray(outputs) ? outputs.map(showOutput).filter((text) => text !== '') : [];
  const parts = shown.map((text) => `# output:\n${endLine(text)}`);
  return [head, endLine(withoutData(joined(source))), nameAttachments(attachments), ...parts].join('');
}

function nameAttachments(attachments: unknown): string {
  if (!isObject(attachments)) return '';
  const forms = Object.entries(attachments).filter((entry): entry is [string, object] => isObject(entry[1]));
  return forms.map(([name, content]) => `[attachment ${name}: ${nameForms(Object.entries(content))}]\n`).join('');
}

/** The best form of an output that is text. All others are named if there is none; else only the pictures are. */
function showOutput(output: unknown): string {
  if (!isObject(output)) return '';
  const { text, data, ename, evalue } = output;
  if (text !== undefined) return withoutData(joined(text)).replace(COLORS, '');
  if (typeof ename === 'string') return `${ename}: ${joined(evalue)}`.replace(COLORS, '');
  if (!isObject(data)) return '';
  const forms = Object.entries(data);
  const plain = forms.find(([type]) => type === 'text/plain') ?? forms.find(([type]) => type === 'text/markdown');
  const others = plain ? forms.filter(([type]) => isPicture(type)) : forms;
  const named = others.length > 0 ? [`[${nameForms(others)}]`] : [];
  return [...(plain ? [withoutData(joined(plain[1]))] : []), ...named].join('\n');
}

function isPicture(type: string): boolean {
  return type.startsWith('image/') || type === 'application/pdf';
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

/** Joins a text of a notebook, which is a string or a list of lines. Returns '' for anything else. */
function joined(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
