import { test } from 'vitest';
import { isQuick } from '../fixture/echo.ts';
import { expectNewTool } from '../fixture/tools-command-scene.ts';
import { RUNTIMES } from '../run/runtimes.ts';

test.for(RUNTIMES.filter((runtime) => !isQuick(runtime)))(
  'new writes a tool of %s that works',
  { timeout: 120_000 },
  expectNewTool,
);
