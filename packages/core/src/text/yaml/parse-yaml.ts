import { CORE_SCHEMA, FAILSAFE_SCHEMA, loadAll, mergeTag, nullCoreTag } from 'js-yaml';
import { readPlainYaml } from './plain-yaml.ts';

const MAX_DEPTH = 64;
const VALUES = CORE_SCHEMA.withTags(mergeTag);
const TEXTS = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/**
 * Parses a YAML text of one document; undefined if it has none. Nothing in it is evaluated. Throws an Error.
 * `onlyTexts` leaves each scalar except null as it is written.
 */
export function parseYaml(text: string, { onlyTexts = false } = {}): unknown {
  const plain = readPlainYaml(text, onlyTexts);
  if (plain !== undefined) return plain;
  const [document, ...more] = loadAll(text, { schema: onlyTexts ? TEXTS : VALUES, maxDepth: MAX_DEPTH });
  if (more.length > 0) throw new Error('it has more than one document');
  return document;
}
