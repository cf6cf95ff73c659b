// Runs a bundled program on the request on standard input, and keeps the code that V8 compiled of one file for that.
// Usage: node scripts/code-cache.cjs dist/jinn.cjs dist/main, where the file is dist/main.js
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const [program, base] = process.argv.splice(2).map((file) => path.resolve(file));
let kept;
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    if (options.filename === `${base}.js`) kept = this;
  }
};
const exit = process.exit;
process.exit = (status) => {
  if (kept) fs.writeFileSync(`${base}.cache`, kept.createCachedData());
  exit(status);
};
require(program);
