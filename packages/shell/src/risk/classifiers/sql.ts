import { Arguments, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { hasHole } from '../syntax/fields.ts';

/** SQL that removes, and what lets a client of a database run commands. */
const HARMFUL_SQL =
  /\b(update\s+\S+\s+set\b(?![\s\S]*\bwhere\b)|drop\s+(table|database|keyspace|measurement|series|bucket|collection|schema|view|index|user|role|column|function|trigger)|truncate\b|delete\s+from|alter\s+table\s+\S+\s+drop|load_extension|xp_cmdshell|into\s+(outfile|dumpfile)|(to|from)\s+program)\b|(^|\n|\s)(\.(shell|system|import|load|restore|output|once)|\\(!|copy|o|i|ir|g)|system)\s|\\!/i;
const MAX_LOOKED_AT = 20_000;
const QUERY_OPTIONS = ['-c', '-e', '-q', '-Q', '--command', '--execute', '--query', '-execute'];
const VALUED = new Set(
  wordsIn(
    '-h -p -U -d -u -P -D -c -e -q -Q -s -F -R -v -cmd -separator --host --port --user --username --dbname --command --execute --query',
  ),
);
/** Options of sqlite3 and duckdb that decide how a result is shown. */
const SHOWS =
  /^--?(header|noheader|csv|json|jsonlines|line|list|column|html|markdown|box|table|quote|tabs|ascii|readonly|bail|batch)$/;
/** Options that read queries from a file, or write what comes out to one. */
const FILES = /^-(f|o|L|i|I|-file|-output|-log-file|-init|-tee|-pager|-load\S*|init)(=|$)|^-[fLo]./;
const READS = /^(select|show|describe|desc|explain(?!\s+analy)|values|with|pragma\s+\w+(\(\w*\))?$|use\s+\w+$)/i;
const META =
  /^(\\(d\w*|l|conninfo|timing|x|dt?\+|encoding)\+?(\s+[\w.*"]+)?|\.(tables|schema|databases|indexes|indices|headers|header|mode|dbinfo|stats|help|show|quit|exit)(\s+[\w.%]+)*)$/;
const CHANGES =
  /\b(into|insert|update|delete|drop|alter|create|grant|revoke|call|do|copy|lock|set|returning|replace|merge|truncate|vacuum|attach|detach|load|install|handler|execute|prepare|kill|reset)\b/i;
const FUNCTIONS = new Set(
  wordsIn(
    'count sum min max avg length lower upper coalesce nullif round abs ceil floor now version current_user current_database current_schema date time datetime strftime julianday date_trunc date_part to_char to_date extract concat concat_ws group_concat string_agg array_agg json_agg jsonb_agg json_extract json_each json_array_length substr substring trim ltrim rtrim ifnull iif typeof hex unixepoch row_number rank dense_rank lag lead over partition greatest least md5 cast in exists values and or on as not where from select using any all generate_series unnest pg_size_pretty pg_database_size pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size sqlite_version changes last_insert_rowid database user schema year month day hour date_format unix_timestamp from_unixtime char_length instr position distinct filter varchar decimal numeric char interval total printf',
  ),
);

/** A text where a query names a file: behind FROM, or as what a function is given. */
const NAMES_FILE =
  /(?:\b(?:from|join|attach|database|summarize|describe)\s*|\w\s*\(\s*(?:\[\s*)?|,\s*)(['"])(.*?)\1/gis;

/** Judges a client of a database by what it is told, on the command line and on standard input. */
export function classifySqlClient(call: Call, context: Context): void {
  const texts = call.input === undefined ? call.args : [...call.args, call.input];
  if (texts.some((text) => text.length > MAX_LOOKED_AT || HARMFUL_SQL.test(withoutTexts(text)))) {
    context.report('dangerous', 'removes data, or runs a command from the database');
  }
  const queries = queriesOf(call);
  const files = queries.flatMap((query) =>
    [...query.slice(0, MAX_LOOKED_AT).matchAll(NAMES_FILE)].map(([, , file = '']) => file),
  );
  for (const path of files) context.file(path, call, { written: false });
  if (call.fed && call.input === undefined) context.unseen('hands what it reads to the client of a database');
  const isKnown =
    queries.length > 0 && !(call.fed && call.input === undefined) && !call.args.some((arg) => FILES.test(arg));
  if (queries.some((query) => /^\s*[\\.]/m.test(query) && !META.test(query.trim())))
    context.unseen('gives the client a command to run');
  if (isKnown && queries.every(onlyReads) && !files.some((file) => file.includes('://')))
    context.report('safe', 'only asks the database');
  else context.report('caution', 'works on a database');
}

/** Empties the texts in quotes, unless a comment or a backslash makes it doubtful where they end. */
function withoutTexts(query: string): string {
  return /--|\/\*|#|\\|\$/.test(query) ? query : query.replace(/'[^']*'|"[^"]*"/g, "''");
}

function queriesOf({ name, args, input }: Call): string[] {
  const isFile = /^(sqlite3?|duckdb)$/.test(name);
  const given = isFile ? args.filter((arg) => !SHOWS.test(arg)) : args;
  const queries = valuesOf(given, isFile ? ['-c', '-cmd', '--cmd'] : QUERY_OPTIONS);
  if (isFile) queries.push(...new Arguments(given, VALUED).operands.slice(1));
  if (args.length === 1 && /^(-l|--list|--version|-V)$/.test(args[0] ?? '')) queries.push('show databases');
  return input === undefined ? queries : [...queries, input];
}

function onlyReads(query: string): boolean {
  if (hasHole(query) || /--|\/\*|#/.test(query)) return false;
  return withoutTexts(query)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .every((statement) => META.test(statement) || isReading(statement));
}

function isReading(statement: string): boolean {
  if (!READS.test(statement) || CHANGES.test(statement) || /[\\$`]/.test(statement)) return false;
  return [...statement.matchAll(/([A-Za-z_]\w*)\s*\(/g)].every(
    ([, name = '']) =>
      FUNCTIONS.has(name.toLowerCase()) ||
      /^(explain|with|\w*_cte|cte)$/i.test(name) ||
      statement.includes(`${name} as (`),
  );
}

/** Judges `ed` and `ex`: a command that starts with an exclamation mark is run, and may come in on standard input. */
export function classifyEditor({ input, fed }: Call, context: Context): void {
  if (!fed) return;
  if (input === undefined || /^[\d,.$%\s]*(?:[rwe]\s*)?!/m.test(input))
    context.report('dangerous', 'has the editor run a command');
}
