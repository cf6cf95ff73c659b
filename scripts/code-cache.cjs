// Runs a bundled program on its standard input, and keeps V8's compiled code beside each of its files that has none
// yet. Usage: node scripts/code-cache.cjs dist/jinn.cjs [ARGUMENTS of the program]
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const { setFlagsFromString } = require('node:v8');

// V8 drops code that has not run for a while. Without this flag, the code of the start would be missing.
setFlagsFromString('--no-flush-bytecode');
process.argv.splice(1, 1);
const program = path.resolve(process.argv[1]);
const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(`${options.filename}.cache`, this);
  }
};
const exit = process.exit;
process.exit = (status) => {
  setFlagsFromString('--flush-bytecode'); // As it is where the code is used: else V8 would refuse it.
  for (const [file, script] of scripts) if (!fs.existsSync(file)) fs.writeFileSync(file, script.createCachedData());
  exit(status);
};
require(program);
