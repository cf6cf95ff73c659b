import { createJinn, ToolError } from 'jinn-sdk';

const jinn = createJinn({ root: '.' });
console.log((await jinn.call('read_file', { path: 'README.md' })).text);
await jinn.call('edit_file', { path: 'README.md', old_text: 'old', new_text: 'new' });
console.log((await jinn.call('list_dir', {})).data.entries);
await jinn.call('undo', { action: 'restore', last: 1 });
try {
  await jinn.call('run_shell', { command: 'npm test' }, { signal: AbortSignal.timeout(60_000) });
  await jinn.call('read_file', { path: 'none.txt' });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.code, error.message, error.suggestion);
}
await jinn.close();
