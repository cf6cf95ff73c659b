import { CORE_SCHEMA, FAILSAFE_SCHEMA, loadAll, mergeTag, nullCoreTag } from 'js-yaml';

const MAX_DEPTH = 64;
const VALUES = CORE_SCHEMA.withTags(mergeTag);
const TEXTS = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Parses one YAML document, if there is one. `onlyTexts` leaves scalars except null as written. Throws an Error. */
export function parseYaml(text: string, { onlyTexts = false } = {}): unknown {
  const [document, ...more] = loadAll(text, { schema: onlyTexts ? TEXTS : VALUES, maxDepth: MAX_DEPTH });
  if (more.length > 0) throw new Error('it has more than one document');
  return document;
}
