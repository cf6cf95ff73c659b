const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
/** The address without a draft means the newest one. */
const DRAFT_2020_12 = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12\/)?schema#?$/;

/** Returns the draft of JSON Schema that an address names. Draft-06 is read as draft-07. */
export function draftOf($schema: unknown = ''): '2020-12' | '07' | undefined {
  if ($schema === '' || DRAFT_2020_12.test(String($schema))) return '2020-12';
  return DRAFT_07.test(String($schema)) ? '07' : undefined;
}
