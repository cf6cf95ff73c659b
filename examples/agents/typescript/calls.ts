import { createJinn, ToolError } from 'jinn-sdk';

const jinn = createJinn({ root: '.' });
await jinn.call('write_file', { path: 'notes.txt', content: 'one old line\n' });
await jinn.call('edit_file', { path: 'notes.txt', old_text: 'old', new_text: 'new' });
console.log((await jinn.call('read_file', { path: 'notes.txt' })).text);
console.log((await jinn.call('list_dir', { depth: 1 })).data.entries);
await jinn.call('undo', { action: 'restore', last: 2 });
try {
  await jinn.call('run_shell', { command: 'npm test' }, { signal: AbortSignal.timeout(60_000) });
  await jinn.call('read_file', { path: 'none.txt' });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.code, error.message, error.suggestion);
}
await jinn.close();
