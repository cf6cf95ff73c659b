// Takes the grammars that packages/syntax has built into the package that the programs share.
import fs from 'node:fs';
import { copyGrammars } from './program.mjs';

fs.rmSync('dist', { recursive: true, force: true });
copyGrammars('dist');
