import type { Invocation } from './parse-flags.ts';

export const DEFAULT_TOOLSETS: readonly string[] = ['jinn', 'custom'];

/** The invocation of a command line without flags. */
export const NO_FLAGS: Invocation = {
  do: 'serve',
  served: { toolsets: DEFAULT_TOOLSETS, excludeTools: [], readOnly: false },
  history: true,
  visualize: false,
  meta: false,
  progress: false,
  sandbox: {},
  asks: false,
  dangerous: undefined,
};
