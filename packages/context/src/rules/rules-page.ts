/** The page that `jinni --usage` and the tool `usage` print. */
export { default as RULES_PAGE } from './rules-page.txt';
