import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { callJinn, makeUiPlace, runUiAtTerminal, startUi, type UiPlace } from './fixture/open-ui.ts';

const JINN = path.resolve(import.meta.dirname, '../../../apps/jinn/dist/jinn.cjs');
const EDIT = { tool: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: 'two\u001b[2J' }, client: 'host' };
const LIVE = 20_000;

async function tail(place: UiPlace, more = '') {
  const running = runUiAtTerminal(place, `--tail${more}`);
  await expect.poll(() => fs.existsSync(`${place.journal}/live`), { timeout: LIVE }).toBe(true);
  return running;
}

describe.skipIf(!fs.existsSync('/usr/bin/script'))('jinn ui --tail', () => {
  test('prints each call as it ends, with its picture in colours, and drives no terminal by what calls hold', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    const { printed } = await tail(place);
    callJinn(place, EDIT, { tool: 'read_file', args: { path: 'none' } });
    await expect.poll(printed, { timeout: LIVE }).toContain('file not found');
    const [edited = '', failed = ''] = printed().split('\r\n\r\n');
    const codes = { green: '\u001b[32m', red: '\u001b[31m', bold: '\u001b[1m', end: '\u001b[0m' };
    expect(edited).toContain(`${codes.green}ok${codes.end} ${codes.bold}edit_file a.txt${codes.end}`);
    expect(edited).toMatch(
      /^jinn ui prints calls until Ctrl-C\r?\n\d\d:\d\d:\d\d .*host · .* ms · about \d+ → \d+ tokens/,
    );
    expect(edited).toContain(`${codes.red}1   - one${codes.end}`);
    expect(edited).toContain(`${codes.green}  1 + two\\x1b[2J${codes.end}`);
    expect(failed).toContain(`${codes.red}file_not_found${codes.end} ${codes.bold}read_file none`);
  });

  test('prints no colours into a file', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    await tail(place, ' > calls.txt');
    callJinn(place, EDIT);
    const read = () => fs.readFileSync(`${place.cwd}/calls.txt`, 'utf8');
    await expect.poll(read, { timeout: LIVE }).toContain('  1 + two\\x1b[2J\n');
    expect(read()).not.toContain('\u001b');
  });

  test('calls are written down while it runs, and by the page beside it, and not after', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    const read = { tool: 'read_file', args: { path: 'a.txt' } };
    const files = () => fs.readdirSync(place.journal).filter((name) => name.endsWith('.jsonl'));
    const { child, printed } = await tail(place);
    const ui = await startUi(place);
    callJinn(place, read);
    await expect.poll(printed, { timeout: LIVE }).toContain('read_file a.txt');
    const end = async (process: typeof child) => {
      process.kill('SIGTERM');
      await new Promise((resolve) => process.on('exit', resolve));
    };
    await end(child);
    await expect.poll(() => fs.existsSync(`${place.journal}/ui.sock`)).toBe(true);
    expect(fs.existsSync(`${place.journal}/live`)).toBe(true);
    await end(ui.child);
    await expect.poll(() => fs.existsSync(`${place.journal}/live`)).toBe(false);
    const [file = ''] = files();
    const { size } = fs.statSync(`${place.journal}/${file}`);
    callJinn(place, read);
    expect(fs.statSync(`${place.journal}/${file}`).size).toBe(size);
  });

  test('no mark stays when nobody reads its lines any more', async () => {
    const place = makeUiPlace({ 'a.txt': 'one\n' });
    await tail(place, ' | head -n 1');
    const read = { tool: 'read_file', args: { path: 'a.txt' } };
    const isMarked = () => {
      callJinn(place, read);
      return fs.existsSync(`${place.journal}/live`);
    };
    await expect.poll(isMarked, { timeout: LIVE }).toBe(false);
  });

  test('needs a terminal', () => {
    const { cwd, env } = makeUiPlace();
    const { stderr, status } = spawnSync(process.execPath, [JINN, 'ui', '--tail'], { cwd, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, 'jinn: jinn ui needs a terminal; ask the user to run it\n']);
  });
});
