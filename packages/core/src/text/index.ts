export { countDigits, isMultipleOf } from './json/decimal.ts';
export { type ExactJson, parseExactJson } from './json/exact-json.ts';
export { type Incoming, type JsonLimits, MAX_JSON_BYTES, MAX_VALUES, refuseLarge } from './json/json-scanner.ts';
export { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from './json/json-text.ts';
export { parseJson, parseStrictJson, readJsonLine } from './json/strict-json.ts';
export { stepsOf } from './pattern-cost.ts';
export { cutMiddle, indentLines, type ShownText, toVisible, toVisibleJson, toVisibleLines } from './visible-text.ts';
