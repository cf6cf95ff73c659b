// Runs a bundled program once on the request on standard input, and keeps the code that V8 compiled for that.
// Usage: node scripts/code-cache.cjs dist/main.js dist/main.cache
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const vm = require('node:vm');

const [source, cache] = process.argv.splice(2).map((file) => path.resolve(file));
const script = new vm.Script(fs.readFileSync(source, 'utf8'), { filename: source });
const exit = process.exit;
process.exit = (status) => {
  fs.writeFileSync(cache, script.createCachedData());
  exit(status);
};
script.runInThisContext()(exports, createRequire(source), module, __filename, path.dirname(source));
