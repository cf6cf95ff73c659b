import type { ToolError } from '@jinn/errors';
import type { Outcome, Success } from './outcome.ts';
import type { Session } from './session.ts';
import type { Hosting, ImageBlock, ToolDescription } from './tool.ts';

/** What the words depend on. */
export interface ToolTraits {
  readonly effect: ToolDescription['effect'];
  readonly hosting: Hosting;
}

/** The most text of an answer that a model reads as it stands, in bytes. */
export const MODEL_RESULT_BYTES = 65_536;
/** What is said of a tool that is not served: the answer is an error. */
const NO_TOOL: ToolTraits = { effect: 'read', hosting: {} };

/** A text of an answer. */
export interface TextBlock {
  /** Tells it from an image. */
  readonly type: 'text';
  /** What the model reads. */
  readonly text: string;
}

/** A part of what a model reads of an answer. */
export type ModelBlock = TextBlock | ImageBlock;

/**
 * Words an outcome for a model, as text and images. What a change broke is a text of its own, since the first may be JSON.
 * Programs get the rest beside it. `tool` is undefined if none of the name is served.
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
  // What a call has written, a later one may want to change only as it is now.
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

/** What language servers say of a change, as `meta.diagnostics` has it. */
interface Diagnostics {
  readonly new: readonly string[];
  readonly fixed: readonly string[];
  readonly omitted?: number;
  readonly pending?: true;
}

/** What they said too late for the calls that it is about, as `meta.late_diagnostics` has it. */
interface LateDiagnostics extends Omit<Diagnostics, 'pending'> {
  readonly present?: readonly string[];
}

/** The syntax errors that a change has brought in, as `meta.syntax` has them. */
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
 * Formats what a change broke and mended. It tells syntax errors only where the language server has found nothing,
 * since the server names them too.
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
