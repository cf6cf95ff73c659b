import { expect, test } from 'vitest';
import { Reporter } from './reporter.ts';

/** A reporter that says what it says into a text, at a time that the test tells. */
function listen({ isTerminal, isDevice = isTerminal }: { isTerminal: boolean; isDevice?: boolean }) {
  const heard = { said: '', time: 0 };
  const standard = {
    variables: () => ({ NO_COLOR: '1' }),
    isTerminal: () => isTerminal,
    isDevice: () => isDevice,
    writeTo: (_: 1 | 2, bytes: Buffer) => {
      heard.said += bytes.toString();
    },
  };
  return { heard, reporter: new Reporter(standard, () => heard.time) };
}

test('shows on a terminal how far it is, after half a second, ten times a second', () => {
  const { heard, reporter } = listen({ isTerminal: true });
  const shown: string[] = [];
  for (const time of [0, 499, 500, 550, 601]) {
    heard.time = time;
    heard.said = '';
    reporter.progress(1024 * 1024);
    shown.push(heard.said);
  }
  expect(shown).toEqual(['', '', '\r\x1b[Kjinni: 3 files, 3.0 MB', '', '\r\x1b[Kjinni: 5 files, 5.0 MB']);
  heard.said = '';
  reporter.warn('x');
  reporter.warn('y');
  expect(heard.said).toBe('\r\x1b[KWarning: x\nWarning: y\n');
});

test.for([false, true])('shows nothing of that where there is no terminal, but perhaps a device: %s', (isDevice) => {
  const { heard, reporter } = listen({ isTerminal: false, isDevice });
  heard.time = 10_000;
  reporter.progress(1);
  reporter.clear();
  expect(heard.said).toBe('');
});

test('what a message quotes does not drive the terminal', () => {
  const { heard, reporter } = listen({ isTerminal: true });
  reporter.warn('a\x1b[2K\u202e is left out');
  reporter.line('b\x9b');
  expect(heard.said).toBe('Warning: a\\x1b[2K\\u{202e} is left out\nb\\x9b\n');
});
