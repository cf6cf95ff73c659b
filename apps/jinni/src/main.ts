import packageJson from '../package.json' with { type: 'json' };
import { run } from './run.ts';

if (process.platform === 'win32') {
  process.stderr.write('Error: jinni runs on Linux and macOS. On Windows, run it in WSL\n');
  process.exit(2);
}

run(process.argv.slice(2), packageJson.version).then(
  (status) => process.exit(status),
  (error: unknown) => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    process.stderr.write(`Error: An unexpected error occurred: ${text}\n`);
    process.exit(1);
  },
);
