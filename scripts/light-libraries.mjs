import path from 'node:path';

// Plugins that keep out of the start of a program what its libraries do and nobody needs there.

const LAZY_CHILD_PROCESS = '\0node:child_process';
const SDK_SCHEMAS = /\/@modelcontextprotocol\/(core\/dist\/(schemas|auth)-|server\/dist\/src-)/;

/** A constant that is made by zod or from another such schema: the name, and all up to the end of the statement. */
const SCHEMA =
  /^(\t?)const (\w+Schema(?:\$\d)?) = ((?:z\.|\w+Schema(?:\$\d)?\.)[^\n]*(?:\n\1[\t}\])][^\n]*)*?);\n(?!\1[\t}\])])/gm;

const LAZY = `
function lazySchema(make) {
  let made;
  const schema = () => (made ??= make());
  return new Proxy({}, { get: (_, key) => Reflect.get(schema(), key), has: (_, key) => Reflect.has(schema(), key) });
}
`;

/**
 * Of commander, the module that starts programs is loaded when it starts one, which it never does here. Of the MCP SDK,
 * the validator for Node, ajv, gives way to the one that it has for browsers, a seventh of the size. Of jsonc-parser, the
 * form that can be bundled is not the one that it names first. Of js-yaml, what only its writing needs can go: large
 * regular expressions, among others.
 */
export function lightLibraries() {
  return {
    name: 'light-libraries',
    async resolveId(id, importer) {
      if (id === 'node:child_process' && importer?.includes('/commander/')) return LAZY_CHILD_PROCESS;
      const found = async () => (await this.resolve(id, importer, { skipSelf: true })).id;
      if (id === 'jsonc-parser') return (await found()).replace('/umd/', '/esm/');
      if (id === '@modelcontextprotocol/server/_shims')
        return path.join(path.dirname(await found()), 'shimsBrowser.mjs');
      return null;
    },
    transform: (code, id) =>
      id.includes('/js-yaml/') ? code.replace(/^(var \w+ = )(new RegExp\()/gm, '$1/* @__PURE__ */ $2') : null,
    load: (id) =>
      id === LAZY_CHILD_PROCESS
        ? `export const spawn = (...args) => process.getBuiltinModule('node:child_process').spawn(...args);`
        : null,
  };
}

/**
 * The MCP SDK makes four hundred schemas when it is loaded and at the first message, of which a connection needs a few
 * dozen: this takes as long as all the rest of a start. Each is made when it is first used instead.
 */
export function lazySchemas() {
  return {
    name: 'lazy-schemas',
    transform(code, id) {
      if (!SDK_SCHEMAS.test(id)) return null;
      const changed = code.replace(SCHEMA, '$1const $2 = lazySchema(() => $3);\n');
      if (changed === code) throw new Error(`no schemas are found any more in ${id}`);
      return changed + LAZY;
    },
  };
}
