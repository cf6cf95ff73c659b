import type { Language as TreeLanguage } from 'web-tree-sitter';
import type { Grammar, SymbolRule } from '../grammar.ts';

/** The role of a type of node in an outline. A type without a role is skipped with its whole content. */
export const ROLE = {
  none: 0,
  inside: 1,
  insideTop: 2,
  scope: 3,
  wrapper: 4,
  symbol: 5,
  comment: 6,
  attribute: 7,
  prefix: 8,
  suffix: 9,
  import: 10,
  embedding: 11,
} as const;

export interface NodeRoles {
  readonly roles: Uint8Array;
  /** By the number of the type, too. */
  readonly rules: readonly (SymbolRule | undefined)[];
  /** The role of a node that has a rule, but is not a symbol by it. */
  readonly otherwise: Uint8Array;
  readonly typeOf: (id: number) => string;
}

const LISTS = ['inside', 'insideTop', 'wrappers', 'comments', 'attributes', 'prefixes', 'suffixes', 'imports'] as const;
const ROLES_OF_LISTS = {
  inside: ROLE.inside,
  insideTop: ROLE.insideTop,
  wrappers: ROLE.wrapper,
  comments: ROLE.comment,
  attributes: ROLE.attribute,
  prefixes: ROLE.prefix,
  suffixes: ROLE.suffix,
  imports: ROLE.import,
} as const;

/** Turns the names of a grammar's table into numbers, so that a walk compares no strings. */
export function toNodeRoles(grammar: Grammar, language: TreeLanguage): NodeRoles {
  const names = rolesByName(grammar);
  const count = language.nodeTypeCount;
  const roles = new Uint8Array(ERROR_TYPE + 1);
  const otherwise = new Uint8Array(ERROR_TYPE + 1);
  const rules: (SymbolRule | undefined)[] = new Array(count);
  for (let id = 0; id < count; id++) {
    const type = language.nodeTypeForId(id);
    // A keyword such as `class` has the name of a node, too.
    if (type === null || !(language.nodeTypeIsNamed(id) || UNNAMED.has(type))) continue;
    roles[id] = names.get(type) ?? ROLE.none;
    if (!Object.hasOwn(grammar.symbols, type)) continue;
    const given = grammar.symbols[type];
    const rule = typeof given === 'string' ? { kind: given } : given;
    roles[id] = ROLE.symbol;
    otherwise[id] = names.get(type) ?? (rule?.onlyIn === undefined ? ROLE.inside : ROLE.none);
    rules[id] = rule;
  }
  roles[ERROR_TYPE] = names.get('ERROR') ?? ROLE.none;
  return { roles, rules, otherwise, typeOf: (id) => language.nodeTypeForId(id) ?? 'ERROR' };
}

const ERROR_TYPE = 0xffff;
/** Words of Dart that stand next to a declaration instead of in it. */
const UNNAMED: ReadonlySet<string> = new Set(['late', 'external', 'static', 'abstract', 'var', 'covariant']);

function rolesByName(grammar: Grammar): Map<string, number> {
  const roles = new Map<string, number>([[grammar.embedding ?? '', ROLE.embedding]]);
  for (const scope of grammar.scopes?.split(' ') ?? []) roles.set(scope, ROLE.scope);
  for (const list of LISTS) {
    const types = grammar[list] ?? (list === 'comments' ? 'comment' : '');
    for (const type of types.split(' ')) roles.set(type, ROLES_OF_LISTS[list]);
  }
  return roles;
}
