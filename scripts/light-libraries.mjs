import fs from 'node:fs';
import path from 'node:path';

// Plugins that keep the work of libraries out of the start of a program.

const SDK_SCHEMAS = /\/@modelcontextprotocol\/(core\/dist\/(schemas|auth)-|server\/dist\/src-)/;

const LAZY = `
function lazySchema(make) {
  let made;
  const schema = () => (made ??= make());
  return new Proxy({}, { get: (_, key) => Reflect.get(schema(), key), has: (_, key) => Reflect.has(schema(), key) });
}
`;

/**
 * Makes libraries lighter. The MCP SDK gets its validator for browsers instead of ajv, a seventh of the size. jsonc-parser is
 * bundled from its ES module, which its package names second. OpenTelemetry gets http as a chunk can: V8 has no way to import
 * from the code of one. The parser of .editorconfig gets its WebAssembly as text, since it would look for a file next to the chunk.
 */
export function lightLibraries() {
  return {
    name: 'light-libraries',
    async resolveId(id, importer) {
      const found = async () => (await this.resolve(id, importer, { skipSelf: true })).id;
      if (id === 'jsonc-parser') return (await found()).replace('/umd/', '/esm/');
      if (id === '@modelcontextprotocol/server/_shims')
        return path.join(path.dirname(await found()), 'shimsBrowser.mjs');
      return null;
    },
    transform(code, id) {
      if (id.includes('/@one-ini/wasm/')) return inlineWasm(code, id);
      return id.includes('/@opentelemetry/')
        ? code.replace(/\bimport\((["'])(https?)\1\)/g, "Promise.resolve(process.getBuiltinModule('node:$2'))")
        : null;
    },
  };
}

function inlineWasm(code, id) {
  const bytes = fs.readFileSync(path.join(path.dirname(id), 'one_ini_bg.wasm'));
  const text = `Buffer.from('${bytes.toString('base64')}', 'base64')`;
  const inlined = code.replace("require('fs').readFileSync(wasmPath)", text);
  if (inlined === code) throw new Error(`${id} reads its WebAssembly in another way now`);
  return inlined;
}

/**
 * Makes each schema of the MCP SDK at its first use. The SDK makes four hundred of them at the start, which takes as long as
 * the rest of the start; a connection needs a few dozen.
 */
export function lazySchemas() {
  return {
    name: 'lazy-schemas',
    transform(code, id) {
      if (!SDK_SCHEMAS.test(id)) return null;
      const schemas = this.parse(code).body.flatMap(statementsOf).flatMap(madeSchema);
      if (schemas.length === 0) throw new Error(`no schemas are found any more in ${id}`);
      const parts = schemas.map(({ start, end }, i) => {
        return `${code.slice(schemas[i - 1]?.end ?? 0, start)}lazySchema(() => ${code.slice(start, end)})`;
      });
      return parts.join('') + code.slice(schemas.at(-1).end) + LAZY;
    },
  };
}

/** Returns a statement of a module, or those of the function that it declares. */
function statementsOf(statement) {
  return statement.type === 'FunctionDeclaration' ? statement.body.body : [statement];
}

/** Returns the expression of a schema, if a statement declares one: `const ASchema = z.object(…)`. */
function madeSchema({ type, declarations = [] }) {
  const [{ id, init } = {}] = type === 'VariableDeclaration' ? declarations : [];
  return /Schema(\$\d+)?$/.test(id?.name) && init?.type === 'CallExpression' ? [init] : [];
}
