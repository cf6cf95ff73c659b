import { ToolError } from '@jinn/core/errors';
import { MIN_TOKENS } from '../flags.ts';
import { FORMAT_NAMES, LEVELS, MODES, SECRET_MODES, SORTS } from '../jinni-spec.ts';
import { createNew } from '../start/jinni-system.ts';

const FLAG = { type: 'boolean' };
const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 1 };
const LIST = { anyOf: [TEXT, { type: 'array', items: TEXT }] };
const choice = (names: readonly string[]) => ({ enum: names });
const about = (schema: object, description: string) => ({ ...schema, description });

/**
 * The settings that a file may have, with the JSON Schema of each value. Security: anyone who wrote the tree wrote this
 * file too, so no setting writes a file, reads one outside of the targets, or reaches the network.
 */
export const SETTING_SCHEMAS: Readonly<Record<string, object>> = {
  not: about(LIST, 'Leave out tests, docs, vendor, build, examples, …, or any name'),
  'not-in': about(LIST, 'The same below a directory: "src:tests,docs"'),
  'not-files': about(LIST, 'Leave out files by pattern'),
  'keep-only': about(LIST, 'Take in these names and paths, and nothing else'),
  include: about(LIST, 'Take in what these globs match, and nothing else'),
  'no-defaults': about(FLAG, 'No built-in rules'),
  format: about(choice(FORMAT_NAMES), 'The form of a document'),
  tree: about(FLAG, 'Add a tree of the paths at the start'),
  summary: about(FLAG, 'Totals and the largest files stand at the head'),
  tokens: about(choice(MODES), 'Estimate tokens, or count them with a real tokenizer'),
  'max-tokens': about({ type: 'integer', minimum: MIN_TOKENS }, 'Fit documents to a budget'),
  outline: about(LIST, 'Outlines instead of the files that these globs match'),
  levels: about(
    { type: 'object', additionalProperties: choice(LEVELS) },
    'How much is written of files that a glob matches. The last matching glob applies',
  ),
  'remove-comments': about(FLAG, 'Remove the comments of sources'),
  'remove-empty-lines': about(FLAG, 'Remove the empty lines of sources'),
  'line-numbers': about(FLAG, 'Number the lines'),
  'show-encoding': about(FLAG, 'Name the encoding of files that are not UTF-8'),
  'header-text': about(TEXT, 'A text for the head'),
  secrets: about(choice(SECRET_MODES), 'What happens to lines with what looks like a secret'),
  'cut-base64': about(FLAG, 'Cut long runs of base64'),
  'raw-notebooks': about(FLAG, 'Print notebooks as JSON'),
  sort: about(choice(SORTS), 'The order of the files'),
  'git-log': about(COUNT, 'How many commits stand at the head'),
  'size-limit-mb': about(COUNT, 'The most content in MB'),
  'no-copy': about(FLAG, 'Do not use the clipboard'),
};

/** Returns the JSON Schema of jinni.config.json as text. */
export function settingsSchema(): string {
  const values = { type: 'object', properties: SETTING_SCHEMAS, additionalProperties: false };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'jinni.config.json',
    ...values,
    properties: {
      $schema: TEXT,
      ...SETTING_SCHEMAS,
      profiles: about({ type: 'object', additionalProperties: values }, 'More settings by name, for --profile NAME'),
    },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

const SETTINGS_NAME = 'jinni.config.json';
/** The first settings: they change little, and show how others are written. */
const FIRST_SETTINGS = {
  not: [],
  tree: true,
  levels: { '**/*.generated.*': 'outline' },
  profiles: { review: { 'max-tokens': 60_000, summary: true } },
};

/** Writes a first jinni.config.json. Returns the text for the user. Throws ToolError if there is one already. */
export function writeFirstSettings(): string {
  const file = createNew(SETTINGS_NAME);
  if (file === undefined) {
    throw new ToolError('conflict', `${SETTINGS_NAME} is there already`, { suggestion: 'edit it, or remove it first' });
  }
  file.write(Buffer.from(`${JSON.stringify(FIRST_SETTINGS, undefined, 2)}\n`));
  file.close();
  return `${SETTINGS_NAME} was written. Its settings are flags without dashes. jinni --schema prints their JSON Schema\n`;
}
