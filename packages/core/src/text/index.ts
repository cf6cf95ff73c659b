export { countDigits, type ExactJson, isMultipleOf, parseExactJson } from './json/exact-json.ts';
export { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from './json/json-text.ts';
export {
  type Incoming,
  isObject,
  type JsonLimits,
  MAX_JSON_BYTES,
  MAX_VALUES,
  parseJson,
  parseStrictJson,
  refuseLarge,
} from './json/parse-json.ts';
export { stepsOf } from './pattern-cost.ts';
export { cutMiddle, indentLines, type ShownText, toVisible, toVisibleJson, toVisibleLines } from './visible-text.ts';
