interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

interface Notebook {
  readonly cells?: unknown;
  readonly metadata?: { readonly language_info?: { readonly name?: unknown } };
}

/**
 * The cells of a Jupyter notebook as text, with the outputs that are text. Pictures and other data in base64 are named
 * with their size. Undefined for text that is no notebook.
 */
export function notebookToText(text: string): string | undefined {
  const notebook = parse(text);
  if (!Array.isArray(notebook?.cells)) return undefined;
  const name = notebook.metadata?.language_info?.name;
  const language = typeof name === 'string' ? name : 'python';
  const cells = (notebook.cells as (Cell | null)[]).filter((cell) => cell !== null && typeof cell === 'object');
  return cells.map((cell, i) => showCell(cell as Cell, i + 1, language)).join('\n');
}

function parse(text: string): Notebook | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function showCell({ cell_type, source, outputs }: Cell, number: number, language: string): string {
  const type = typeof cell_type === 'string' ? cell_type : 'raw';
  const head = `# %% [${number}] ${type === 'code' ? language : type}\n`;
  const shown = Array.isArray(outputs) ? outputs.map(showOutput).filter((text) => text !== '') : [];
  return `${head}${endLine(joined(source))}${shown.map((text) => `# output:\n${endLine(text)}`).join('')}`;
}

/** The best form of an output that is text; pictures are only named. */
function showOutput(output: unknown): string {
  if (typeof output !== 'object' || output === null) return '';
  const { text, data, ename, evalue } = output as Record<string, unknown>;
  if (text !== undefined) return joined(text);
  if (typeof ename === 'string') return `${ename}: ${joined(evalue)}`;
  if (typeof data !== 'object' || data === null) return '';
  const forms = Object.entries(data);
  const plain = forms.find(([type]) => type === 'text/plain') ?? forms.find(([type]) => type === 'text/markdown');
  const pictures = forms.filter(([type]) => type.startsWith('image/') || type === 'application/pdf');
  const named = pictures.map(([type, content]) => `[${type}, ${joined(content).length} characters left out]`);
  return [...(plain ? [joined(plain[1])] : []), ...named].join('\n');
}

/** Text of a notebook is a string or a list of lines. */
function joined(value: unknown): string {
  return Array.isArray(value)
    ? value.filter((line) => typeof line === 'string').join('')
    : typeof value === 'string'
      ? value
      : '';
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
