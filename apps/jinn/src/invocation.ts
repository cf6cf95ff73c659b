import type { DangerPolicy } from '@jinn/core';
import type { SchemaFormat, ServedChoice } from '@jinn/toolsets';
import type { MachineOptions } from '@jinn/toolsets/machine';

export type Invocation =
  | {
      readonly do: 'serve';
      readonly served: ServedChoice;
      readonly history: boolean;
      readonly visualize: boolean;
      readonly meta: boolean;
      readonly progress: boolean;
      readonly sandbox: MachineOptions['sandbox'] & object;
      /** True if the host puts questions to the user. */
      readonly asks: boolean;
      readonly dangerous: DangerPolicy | undefined;
    }
  | { readonly do: 'doctor'; readonly sandbox: MachineOptions['sandbox'] & object }
  | { readonly do: 'protocol' }
  | {
      readonly do: 'schema';
      readonly served: ServedChoice;
      readonly dangerous: DangerPolicy | undefined;
      readonly format: SchemaFormat;
      readonly strict: boolean;
    }
  | { readonly do: 'print'; readonly text: string };

/** The toolsets that are served where no flag names one. */
export const DEFAULT_TOOLSETS: readonly string[] = ['jinn', 'custom'];

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
