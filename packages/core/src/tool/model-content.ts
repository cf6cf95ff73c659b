import type { Session } from './machine.ts';
import type { Outcome, Success } from './outcome.ts';
import type { Hosting, ImageBlock, ToolDescription } from './tool.ts';

export interface ToolTraits {
  readonly effect: ToolDescription['effect'];
  readonly hosting: Hosting;
}

/** The most text of an answer that a model reads unchanged, in bytes. */
export const MODEL_RESULT_BYTES = 65_536;
const NO_TOOL: ToolTraits = { effect: 'read', hosting: {} };

/** A text of an answer. */
export interface TextBlock {
  /** Identifies a text. */
  readonly type: 'text';
  /** The text for the model. */
  readonly text: string;
}

/** A part of an answer for a model. */
export type ModelBlock = TextBlock | ImageBlock;

/**
 * Formats an outcome for a model, as text and images. The diagnostics of a change are a text of their own, since the
 * first may be JSON. `tool` is undefined if no tool of the name is served.
 */
export function toModelContent(
  outcome: Outcome,
  tool: ToolTraits | undefined,
  session: Pick<Session, 'endsWithCall'>,
): readonly ModelBlock[] {
  if (outcome.ok) return toBlocks(outcome, tool ?? NO_TOOL, session);
  const { code, message, suggestion, example } = outcome.error;
  const call = example && `a valid call: ${JSON.stringify({ name: example.tool, arguments: example.args })}`;
  return [toText([`${code}: ${message}`, suggestion, call].filter(Boolean).join('\n'))];
}

function toBlocks(
  { text, data, content = [], warnings = [], meta }: Success,
  { hosting, effect }: ToolTraits,
  { endsWithCall }: Pick<Session, 'endsWithCall'>,
): readonly ModelBlock[] {
  // A later call may want to change a written file only in its present version.
  const tells = hosting.tellsVersions ?? (effect === 'write' ? 'always' : undefined);
  const tellsVersions = tells === 'always' || (tells === 'without-session' && endsWithCall);
  const shown = text !== undefined && tellsVersions ? withVersions(text, data, meta) : text;
  const texts = shown === undefined ? [] : [toText(shown)];
  // A block of its own: what comes before may be one document of JSON.
  const remarks = warnings.length > 0 ? [toText(warnings.map((warning) => `[warning: ${warning}]`).join('\n'))] : [];
  return [...texts, ...content, ...toDiagnostics(meta), ...remarks];
}

interface Diagnostics {
  readonly new?: readonly string[];
  readonly fixed?: readonly string[];
  readonly present?: readonly string[];
  readonly omitted?: number;
  readonly pending?: true;
}

interface ReportedFaults {
  readonly diagnostics?: Diagnostics;
  readonly late_diagnostics?: Diagnostics;
  readonly syntax?: {
    readonly errors: readonly { readonly file: string; readonly line: number; readonly message: string }[];
    readonly omitted?: number;
  };
}

/** Syntax errors come only if the language server has found nothing, since the server names them too. */
function toDiagnostics({ diagnostics, late_diagnostics: late, syntax }: ReportedFaults = {}) {
  const isSyntaxNews = syntax !== undefined && !diagnostics?.new?.length;
  const errors = syntax?.errors.map(({ file, line, message }) => `${file}:${line}: ${message}`) ?? [];
  const lines = [
    ...(late ? diagnosticLines('An earlier change', late) : []),
    ...(isSyntaxNews ? ['This change causes syntax errors:', ...errors, ...more(syntax.omitted)] : []),
    ...(diagnostics ? diagnosticLines('This change', diagnostics) : []),
  ];
  return lines.length > 0 ? [toText(lines.join('\n'))] : [];
}

function diagnosticLines(
  change: string,
  { new: appeared = [], fixed = [], present = [], omitted, pending }: Diagnostics,
): readonly string[] {
  return [
    ...(appeared.length > 0 ? [`${change} causes:`, ...appeared] : []),
    ...(fixed.length > 0 ? [`${change} mends:`, ...fixed] : []),
    ...(present.length > 0 ? ['Wrong in files that were changed earlier:', ...present] : []),
    ...more(omitted),
    ...(pending ? ['[the language server has not checked all of it yet]'] : []),
  ];
}

function more(omitted = 0): readonly string[] {
  return omitted > 0 ? [`[${omitted} more]`] : [];
}

interface Versions {
  readonly version?: string;
  readonly files?: readonly { readonly path: string; readonly version?: string }[];
}

function withVersions(text: string, data: object | undefined, { version, files = [] }: Versions = {}): string {
  const named = files.filter((file) => file.version !== undefined);
  if (data) {
    const versions = named.length > 0 && {
      versions: Object.fromEntries(named.map((file) => [file.path, file.version])),
    };
    return JSON.stringify({ ...data, ...(version === undefined ? versions : { version }) });
  }
  const line = version ?? named.map((file) => `${file.path} ${file.version}`).join(', ');
  if (line === '') return text;
  const isMany = version === undefined && named.length > 1;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}[version${isMany ? 's' : ''}: ${line}]`;
}

function toText(text: string): TextBlock {
  return { type: 'text', text };
}
