import { expect, test } from 'vitest';
import { translateWslPath } from './targets.ts';

test.for([
  ['/home/a/b', '/home/a/b'],
  ['vscode-remote://wsl+Ubuntu/home/a%20b', '/home/a b'],
  ['vscode-remote://wsl%2BUbuntu-22.04/p', '/p'],
  ['vscode-remote://wsl.localhost/Ubuntu/p/q', '/p/q'],
  ['vscode://vscode-remote/wsl+Ubuntu/p', '/p'],
  ['vscode-remote://wsl+Ubuntu', '/'],
  ['vscode-remote://wsl+/p', 'vscode-remote://wsl+/p'],
  ['vscode-remote://wsl.localhost//p', 'vscode-remote://wsl.localhost//p'],
  ['vscode-remote://wsl.localhost/', 'vscode-remote://wsl.localhost/'],
  ['vscode-remote://wsl+U/%zz', 'vscode-remote://wsl+U/%zz'],
  ['vscode-remote://ssh-remote+h/p', 'vscode-remote://ssh-remote+h/p'],
  ['\\\\wsl$\\Ubuntu\\p', '\\\\wsl$\\Ubuntu\\p'],
  ['relative/p', 'relative/p'],
  ['', ''],
] as const)('takes %j for %j', ([path, expected]) => {
  expect(translateWslPath(path)).toBe(expected);
});
