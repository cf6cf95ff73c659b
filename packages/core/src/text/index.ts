export { countDigits, type ExactJson, isMultipleOf, parseExactJson } from './json/exact-json.ts';
export { readJsonLine } from './json/json-scanner.ts';
export { isJsonList, type JsonMember, type JsonSpan, jsonMembersOf, jsonRootOf } from './json/json-text.ts';
export { type Incoming, MAX_VALUES, parseJson, parseStrictJson } from './json/parse-json.ts';
export { stepsOf } from './pattern-cost.ts';
export { cutMiddle, indentLines, type ShownText, toVisible, toVisibleJson, toVisibleLines } from './visible-text.ts';
