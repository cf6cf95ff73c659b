import type { ToolError } from '../errors/index.ts';
import type { Outcome, Success } from './outcome.ts';
import type { Session } from './session.ts';
import type { Hosting, ImageBlock, ToolDescription } from './tool.ts';

/** The properties of a tool that decide the text of an answer. */
export interface ToolTraits {
  readonly effect: ToolDescription['effect'];
  readonly hosting: Hosting;
}

/** The most text of an answer that a model reads unchanged, in bytes. */
export const MODEL_RESULT_BYTES = 65_536;
/** The traits for a tool that is not served: the answer is an error. */
const NO_TOOL: ToolTraits = { effect: 'read', hosting: {} };

/** A text of an answer. */
export interface TextBlock {
  /** Identifies a text, as against an image. */
  readonly type: 'text';
  /** The text for the model. */
  readonly text: string;
}

/** A part of an answer for a model. */
export type ModelBlock = TextBlock | ImageBlock;

/**
 * Formats an outcome for a model, as text and images. The diagnostics of a change are a text of their own, since the
 * first may be JSON. Programs get the rest beside it. `tool` is undefined if no tool of the name is served.
 */
export function toModelContent(
  outcome: Outcome,
  tool: ToolTraits | undefined,
  session: Pick<Session, 'endsWithCall'>,
): readonly ModelBlock[] {
  return outcome.ok ? toBlocks(outcome, tool ?? NO_TOOL, session) : [toText(describeFailure(outcome.error))];
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

function describeFailure({ code, message, suggestion, example }: ToolError): string {
  const call = example && `a valid call: ${JSON.stringify({ name: example.tool, arguments: example.args })}`;
  return [`${code}: ${message}`, suggestion, call].filter(Boolean).join('\n');
}

/** The diagnostics of a change by language servers, in the form of `meta.diagnostics`. */
interface Diagnostics {
  readonly new: readonly string[];
  readonly fixed: readonly string[];
  readonly omitted?: number;
  readonly pending?: true;
}

/** The diagnostics that came too late for their calls, in the form of `meta.late_diagnostics`. */
interface LateDiagnostics extends Omit<Diagnostics, 'pending'> {
  readonly present?: readonly string[];
}

/** The syntax errors that a change has made, in the form of `meta.syntax`. */
interface Syntax {
  readonly errors: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  readonly omitted?: number;
}

interface ReportedFaults {
  readonly diagnostics?: Diagnostics;
  readonly late_diagnostics?: LateDiagnostics;
  readonly syntax?: Syntax;
}

/**
 * Formats the diagnostics that a change added and removed. Syntax errors come only if the language server has found
 * nothing, since the server names them too.
 */
function toDiagnostics({ diagnostics, late_diagnostics: late, syntax }: ReportedFaults = {}) {
  const { new: appeared = [], fixed = [], omitted = 0, pending } = diagnostics ?? {};
  const lines = [
    ...(late ? lateLines(late) : []),
    ...(syntax && appeared.length === 0 ? syntaxLines(syntax) : []),
    ...(appeared.length > 0 ? ['This change causes:', ...appeared] : []),
    ...(fixed.length > 0 ? ['This change mends:', ...fixed] : []),
    ...(omitted > 0 ? [`[${omitted} more]`] : []),
    ...(pending ? ['[the language server has not checked all of it yet]'] : []),
  ];
  return lines.length > 0 ? [toText(lines.join('\n'))] : [];
}

function lateLines({ new: appeared, fixed, present = [], omitted = 0 }: LateDiagnostics): string[] {
  return [
    ...(appeared.length > 0 ? ['An earlier change causes:', ...appeared] : []),
    ...(fixed.length > 0 ? ['An earlier change mends:', ...fixed] : []),
    ...(present.length > 0 ? ['Wrong in files that were changed earlier:', ...present] : []),
    ...(omitted > 0 ? [`[${omitted} more]`] : []),
  ];
}

function syntaxLines({ errors, omitted = 0 }: Syntax): string[] {
  return [
    'This change causes syntax errors:',
    ...errors.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...(omitted > 0 ? [`[${omitted} more]`] : []),
  ];
}

interface Versions {
  readonly version?: string;
  readonly files?: readonly { readonly path: string; readonly version?: string }[];
}

/** Adds the versions to the text: a last line, or for data a member. */
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
