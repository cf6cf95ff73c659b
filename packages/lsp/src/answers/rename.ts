import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { showPath } from '@jinn/workspace/walk';
import type { LanguageAnswer } from './language-question.ts';

/** Words that cannot be names, by language id. Servers write them into files all the same. */
const C_WORDS =
  'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while';
const JS_WORDS =
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static implements interface package private protected public';
const CPP_WORDS = `${C_WORDS} alignas alignof bool catch class constexpr const_cast decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept nullptr operator private protected public reinterpret_cast static_assert static_cast template this thread_local throw true try typeid typename using virtual`;
export const RESERVED_WORDS: Readonly<Record<string, string>> = {
  typescript: JS_WORDS,
  typescriptreact: JS_WORDS,
  javascript: JS_WORDS,
  javascriptreact: JS_WORDS,
  python:
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  go: 'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var',
  rust: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while',
  c: C_WORDS,
  cpp: CPP_WORDS,
  shellscript: 'case coproc do done elif else esac fi for function if in select then time until while',
};

/** Languages whose names need not be plain identifiers: classes of CSS, keys of YAML, variables with a sign. */
const ANY_NAME = new Set(
  'css scss sass less html yaml json jsonc markdown clojure clojurescript toml xml latex'.split(' '),
);

const IDENTIFIER = /^[$@%]{0,2}[\p{ID_Start}_$][\p{ID_Continue}$]*['?!]?$/u;
const UNFIT = /[\0-\x20\x7f\u2028\u2029]/;
const MOST_FILES = 20;
const MOST_LINES = 5;
const MOST_REPLACED = 50;

/**
 * Says why a planned rename must not be applied. Undefined if it may be. If the server may not know all, each file that
 * holds the name must be in the plan.
 */
export function whyRefused(
  { server, incomplete, isPartial }: Pick<LanguageAnswer<unknown>, 'server' | 'incomplete' | 'isPartial'>,
  planned: readonly string[],
  { own, holding = [] }: { readonly own: string; readonly holding?: readonly string[] | undefined },
): string | undefined {
  if (!planned.includes(own)) return incomplete[0] ?? `the plan of ${server} omits ${own}`;
  const isWhole = !isPartial && (incomplete.length === 0 || holding.every((file) => planned.includes(file)));
  return isWhole ? undefined : incomplete.join('; ');
}

/** A file, and the line of each place where the name is in it. */
export interface NamingFile {
  readonly path: string;
  readonly lines: readonly number[];
}

export interface UsesElsewhere {
  readonly name: string;
  readonly newName: string;
  readonly files: readonly NamingFile[];
  readonly noAnswer: { readonly why: string; readonly error: ToolError };
}

/** Makes the refusal of a rename that needs a language server: the places of the name, and the next step. */
export async function needsServer(
  { name, newName, files, noAnswer }: UsesElsewhere,
  { catalog }: Pick<ToolContext, 'catalog'>,
): Promise<ToolError> {
  const { why, error } = noAnswer;
  const { tools } = await catalog.list();
  const isReplacer = (tool: { readonly name: string }) => tool.name === 'search_replace';
  const edit = tools.some(isReplacer) ? formatReplacing(name, newName, files) : 'edit each of them';
  const count = files.reduce((sum, { lines }) => sum + lines.length, 0);
  const message = `${name} cannot be renamed without a language server (${why}) (nothing was changed). Places (${count}): ${formatPlaces(files)}`;
  const server = error.suggestion ?? 'try again when a language server answers';
  return new ToolError('lsp_unavailable', message, {
    suggestion: `${server}. Or, if all places mean it, ${edit}`,
  });
}

function formatPlaces(files: readonly NamingFile[]): string {
  const shown = files.slice(0, MOST_FILES).map(({ path, lines }) => {
    const numbers = [...new Set(lines)];
    const more = numbers.length > MOST_LINES ? ` and ${numbers.length - MOST_LINES} more lines` : '';
    return `${showPath(path)}:${numbers.slice(0, MOST_LINES).join(',')}${more}`;
  });
  const left = files.length - shown.length;
  return `${shown.join('; ')}${left > 0 ? `, and ${left} more files` : ''}`;
}

function formatReplacing(name: string, newName: string, files: readonly NamingFile[]): string {
  const call = {
    pattern: `(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`,
    replacement: newName,
    ...(newName.includes('$') && { literal_replacement: true }),
    files: files.slice(0, MOST_REPLACED).map(({ path }) => path),
  };
  const left = files.length - call.files.length;
  const more = left > 0 ? `, then the same in the other ${left} files, which find_references lists` : '';
  return `search_replace ${JSON.stringify(call)}${more}`;
}

/** Refuses with `invalid_args` a new name that cannot be one: most servers would write whatever they are given. */
export function rejectBadName(name: string, languageId: string): void {
  const words = Object.hasOwn(RESERVED_WORDS, languageId) ? RESERVED_WORDS[languageId]?.split(' ') : undefined;
  if (words?.includes(name)) throw badNameError(name, `it is a word of the language (${languageId})`);
  const isPlain = ANY_NAME.has(languageId) ? name !== '' && !UNFIT.test(name) : IDENTIFIER.test(name);
  if (!isPlain || name.length > 500) throw badNameError(name, 'it is not an identifier');
}

function badNameError(name: string, why: string): ToolError {
  return new ToolError('invalid_args', `${JSON.stringify(name.slice(0, 100))} cannot be the new name: ${why}`, {
    suggestion: 'choose another new_name',
  });
}
