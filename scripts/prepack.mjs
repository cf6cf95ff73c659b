// Builds what `npm pack` is about to pack, or ends it: nobody packs what is not there, or is old.
import { build, install } from './setup.mjs';

const { npm_package_name: name } = process.env;
// These are about the tarball.
for (const flag of ['npm_config_dry_run', 'npm_config_json']) delete process.env[flag];
install();
build(name, [`--filter=${name}`]);
